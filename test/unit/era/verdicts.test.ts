import t from 'tap';
import { setTimeout as sleep } from 'node:timers/promises';
import { Verdicts } from '../../../src/era/verdicts.js';
import type { HttpUpstream } from '../../../src/upstreams/http.js';
import { answer, hang, resetBeforeHead, slowBody, type Script } from '../../upstreams/scripted.js';
import { behind, discovered, failing, refusalOf } from './upstream.js';

const modern = answer({ body: discovered() });
const both = answer({ body: discovered({ supportedVersions: ['2026-07-28', '2025-11-25'] }) });
const legacy = answer({ status: 400, body: failing(-32600) });

/** Verdicts, and what they told the metrics. */
function recorded(): { verdicts: Verdicts; told: string[] } {
  const told: string[] = [];
  const recorder = {
    verdict: (upstream: string, speaks: string) => void told.push(`verdict ${upstream} ${speaks}`),
    probed: (upstream: string, result: string) => void told.push(`probed ${upstream} ${result}`),
  };
  return { verdicts: new Verdicts({ recorder }), told };
}

/** Waits, within a bound, until `condition` holds. */
async function until(condition: () => boolean): Promise<void> {
  const deadline = performance.now() + 5_000;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error('it never came true');
    await sleep(5);
  }
}

t.test('concurrent first requests share one probe, and later ones need none', async (t) => {
  const body = discovered();
  const { upstream, server } = await behind(t, slowBody([body.slice(0, 10), body.slice(10)], 50));
  const { verdicts, told } = recorded();
  t.equal(verdicts.peek(upstream), undefined);
  const all = await Promise.all(Array.from({ length: 50 }, () => verdicts.get(upstream, 'Bearer a')));
  for (const { speaks } of all) t.equal(speaks, 'modern');
  t.equal((await verdicts.get(upstream, 'Bearer b')).speaks, 'modern');
  t.equal(server.requests.length, 1);
  t.same(told, ['probed scripted modern', 'verdict scripted modern']);
});

t.test('one credential does not answer for another', async (t) => {
  const script: Script = (request, socket) =>
    request.all('authorization')[0] === 'Bearer good'
      ? slowBody([discovered()], 100)(request, socket)
      : answer({ status: 401, headers: ['WWW-Authenticate', 'Bearer realm="r"'] })(request, socket);
  const { upstream, server } = await behind(t, script);
  const { verdicts } = recorded();
  const [good, bad] = await Promise.allSettled([
    verdicts.get(upstream, 'Bearer good'),
    verdicts.get(upstream, 'Bearer bad'),
  ]);
  t.equal(good.status, 'fulfilled');
  t.match(bad, {
    reason: { refusal: { cell: 'upstream-auth', headers: { 'www-authenticate': 'Bearer realm="r"' } } },
  });
  t.equal(server.requests.length, 2);
});

t.test("with a credential of the gateway's own, all clients share one probe", async (t) => {
  const headers = new Map([['authorization', 'Bearer own']]);
  const { upstream, server } = await behind(t, slowBody([discovered()], 50), { headers });
  const { verdicts } = recorded();
  await Promise.all(['Bearer a', 'Bearer b', undefined].map((one) => verdicts.get(upstream, one)));
  t.equal(server.requests.length, 1);
});

t.test('a failure reaches all who wait for it, and is remembered by nobody', async (t) => {
  const { upstream, server } = await behind(t, [resetBeforeHead(), answer({ status: 503 }), modern]);
  const { verdicts, told } = recorded();
  const [first, second] = await Promise.all([1, 2].map(() => refusalOf(verdicts.get(upstream, undefined))));
  t.equal(first?.cell, 'upstream-reset');
  t.equal(second?.cell, 'upstream-reset');
  t.equal((await refusalOf(verdicts.get(upstream, undefined))).cell, 'upstream-failed');
  t.equal(verdicts.peek(upstream), undefined);
  t.equal((await verdicts.get(upstream, undefined)).speaks, 'modern');
  t.equal(server.requests.length, 3);
  t.same(told, [
    'probed scripted upstream-reset',
    'probed scripted upstream-failed',
    'probed scripted modern',
    'verdict scripted modern',
  ]);
});

t.test('a pinned era is never probed, and outlives a contradiction', async (t) => {
  for (const era of ['modern', 'legacy', 'both'] as const) {
    const { upstream, server } = await behind(t, hang(), { era });
    const { verdicts } = recorded();
    t.same(await verdicts.get(upstream, undefined), { speaks: era, expires: Infinity });
    verdicts.contradict(upstream);
    t.equal(verdicts.peek(upstream)?.speaks, era);
    verdicts.note(upstream, { kind: 'verdict', speaks: 'legacy', revisions: [], discovered: undefined });
    t.equal(verdicts.peek(upstream)?.speaks, era);
    t.equal(server.requests.length, 0);
  }
});

for (const [name, script] of [
  ['legacy', legacy],
  ['both', both],
] as const) {
  t.test(`${name} expires: it is served while a new verdict is sought`, async (t) => {
    const later = slowBody([discovered()], 100);
    const { upstream, server } = await behind(t, [script, later], { verdictTtl: 50 });
    const { verdicts, told } = recorded();
    t.equal((await verdicts.get(upstream, undefined)).speaks, name);
    t.equal((await verdicts.get(upstream, undefined)).speaks, name);
    t.equal(server.requests.length, 1, 'not before');
    await sleep(60);
    const stale = await Promise.all(Array.from({ length: 10 }, (_, n) => verdicts.get(upstream, `Bearer ${n}`)));
    for (const { speaks } of stale) t.equal(speaks, name);
    await until(() => verdicts.peek(upstream)?.speaks === 'modern');
    t.equal(server.requests.length, 2, 'ten clients, one probe');
    t.same(told.at(-1), 'verdict scripted modern');
  });
}

t.test('modern does not expire', async (t) => {
  const { upstream, server } = await behind(t, modern, { verdictTtl: 1 });
  const { verdicts } = recorded();
  await verdicts.get(upstream, undefined);
  await sleep(20);
  await verdicts.get(upstream, undefined);
  await sleep(20);
  t.equal(server.requests.length, 1);
});

t.test('a background probe that fails leaves the verdict, and is not repeated at once', async (t) => {
  const { upstream, server } = await behind(t, [legacy, resetBeforeHead()], { verdictTtl: 20 });
  const { verdicts, told } = recorded();
  await verdicts.get(upstream, undefined);
  await sleep(30);
  t.equal((await verdicts.get(upstream, undefined)).speaks, 'legacy');
  await until(() => told.includes('probed scripted upstream-reset'));
  for (let again = 0; again < 5; again++) {
    t.equal((await verdicts.get(upstream, undefined)).speaks, 'legacy');
    await sleep(5);
  }
  t.equal(server.requests.length, 2);
});

t.test('the same verdict again is no news, but another probe', async (t) => {
  const { upstream } = await behind(t, legacy, { verdictTtl: 20 });
  const { verdicts, told } = recorded();
  await verdicts.get(upstream, undefined);
  await sleep(30);
  await verdicts.get(upstream, undefined);
  await until(() => told.length === 3);
  t.same(told, ['probed scripted legacy', 'verdict scripted legacy', 'probed scripted legacy']);
});

t.test('a contradiction drops the verdict', async (t) => {
  const { upstream, server } = await behind(t, [modern, legacy]);
  const { verdicts } = recorded();
  t.equal((await verdicts.get(upstream, undefined)).speaks, 'modern');
  verdicts.contradict(upstream);
  t.equal(verdicts.peek(upstream), undefined);
  t.equal((await verdicts.get(upstream, undefined)).speaks, 'legacy');
  t.equal(server.requests.length, 2);
});

t.test('two upstreams have two verdicts', async (t) => {
  const one = await behind(t, modern, { name: 'one' });
  const two = await behind(t, legacy, { name: 'two' });
  const { verdicts } = recorded();
  const speaks = (upstream: HttpUpstream) => verdicts.get(upstream, undefined).then((verdict) => verdict.speaks);
  t.same(await Promise.all([one, two].map(({ upstream }) => speaks(upstream))), ['modern', 'legacy']);
});

t.test('what others found out is believed', async (t) => {
  const { upstream, server } = await behind(t, hang());
  const { verdicts } = recorded();
  verdicts.note(upstream, { kind: 'verdict', speaks: 'both', revisions: [], discovered: undefined });
  t.equal((await verdicts.get(upstream, undefined)).speaks, 'both');
  t.equal(server.requests.length, 0);
});

t.test('closing ends the probes under way, and tells those who wait', async (t) => {
  const { upstream, server } = await behind(t, hang());
  const { verdicts } = recorded();
  const refused = refusalOf(verdicts.get(upstream, undefined));
  const seen = await server.request(0);
  verdicts.close();
  t.equal((await refused).cell, 'shutting-down');
  t.ok(await seen.gone);
  t.equal((await refusalOf(verdicts.get(upstream, undefined))).cell, 'shutting-down');
});
