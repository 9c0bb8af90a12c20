import t from 'tap';
import { setTimeout as sleep } from 'node:timers/promises';
import { Discoveries, EraChangedError } from '../../../src/era/discoveries.js';
import { answer, hang, slowBody, type Script } from '../../upstreams/scripted.js';
import { behind, discovered, failing, refusalOf } from './upstream.js';

const alice = { owner: 'alice', authorization: 'Bearer a' };
const bob = { owner: 'bob', authorization: 'Bearer b' };
const ignore = (): void => undefined;

/** An upstream that greets by credential. */
function greeting(members: Record<string, unknown>): Script {
  return (request, socket) => {
    const instructions = `Hello ${request.all('authorization')[0] ?? 'nobody'}`;
    return answer({ body: discovered({ ...members, instructions }) })(request, socket);
  };
}

async function greetingOf(result: Promise<Buffer>): Promise<unknown> {
  return (JSON.parse((await result).toString()) as { instructions: unknown }).instructions;
}

t.test('what was said to one owner is not told to another', async (t) => {
  for (const cacheScope of ['private', undefined, 'PUBLIC', 7]) {
    const { upstream, server } = await behind(t, greeting({ ttlMs: 60_000, cacheScope }));
    const discoveries = new Discoveries(ignore);
    for (let round = 0; round < 2; round++) {
      t.equal(await greetingOf(discoveries.get(upstream, alice)), 'Hello Bearer a');
      t.equal(await greetingOf(discoveries.get(upstream, bob)), 'Hello Bearer b');
    }
    t.equal(server.requests.length, 2, `one question each (${cacheScope})`);
  }
});

t.test('what is public is told to all', async (t) => {
  const { upstream, server } = await behind(t, greeting({ ttlMs: 60_000, cacheScope: 'public' }));
  const discoveries = new Discoveries(ignore);
  t.equal(await greetingOf(discoveries.get(upstream, alice)), 'Hello Bearer a');
  t.equal(await greetingOf(discoveries.get(upstream, bob)), 'Hello Bearer a');
  t.equal(server.requests.length, 1);
});

t.test('it is kept for its time, and no longer', async (t) => {
  const { upstream, server } = await behind(t, greeting({ ttlMs: 60, cacheScope: 'public' }));
  const discoveries = new Discoveries(ignore);
  await discoveries.get(upstream, alice);
  await discoveries.get(upstream, alice);
  t.equal(server.requests.length, 1);
  await sleep(70);
  await discoveries.get(upstream, alice);
  t.equal(server.requests.length, 2);
});

t.test('without a time it is not kept', async (t) => {
  for (const ttlMs of [0, -1, undefined, '60000', null]) {
    const { upstream, server } = await behind(t, greeting({ ttlMs, cacheScope: 'public' }));
    const discoveries = new Discoveries(ignore);
    await discoveries.get(upstream, alice);
    await discoveries.get(upstream, alice);
    t.equal(server.requests.length, 2, `ttlMs ${ttlMs}`);
  }
});

t.test('concurrent questions of one owner share an answer, those of two do not', async (t) => {
  const { upstream, server } = await behind(t, slowBody([discovered({ ttlMs: 0 })], 50));
  const discoveries = new Discoveries(ignore);
  await Promise.all([alice, alice, alice, bob].map((asker) => discoveries.get(upstream, asker)));
  t.equal(server.requests.length, 2);
});

t.test('a very large answer is used and not kept', async (t) => {
  const instructions = 'x'.repeat(100_000);
  const { upstream, server } = await behind(t, answer({ body: discovered({ ttlMs: 60_000, instructions }) }));
  const discoveries = new Discoveries(ignore);
  t.ok((await discoveries.get(upstream, alice)).length > 100_000);
  await discoveries.get(upstream, alice);
  t.equal(server.requests.length, 2);
});

t.test('the owner that asked longest ago gives way', async (t) => {
  const { upstream, server } = await behind(t, greeting({ ttlMs: 60_000 }));
  const discoveries = new Discoveries(ignore);
  for (let n = 0; n <= 1_000; n++) await discoveries.get(upstream, { owner: `owner-${n}`, authorization: undefined });
  const asked = server.requests.length;
  await discoveries.get(upstream, { owner: 'owner-1', authorization: undefined });
  t.equal(server.requests.length, asked);
  await discoveries.get(upstream, { owner: 'owner-0', authorization: undefined });
  t.equal(server.requests.length, asked + 1);
});

t.test('a failure is told and not kept; every question is a probe', async (t) => {
  const challenge = answer({ status: 401, headers: ['WWW-Authenticate', 'Bearer realm="r"'] });
  const legacy = answer({ status: 400, body: failing(-32600) });
  const { upstream } = await behind(t, [challenge, legacy, answer({ body: discovered() })]);
  const told: string[] = [];
  const discoveries = new Discoveries((one, outcome) => {
    t.equal(one, upstream);
    told.push(outcome.kind === 'none' ? outcome.refusal.cell : outcome.speaks);
  });
  t.match(await refusalOf(discoveries.get(upstream, alice)), {
    cell: 'upstream-auth',
    headers: { 'www-authenticate': 'Bearer realm="r"' },
  });
  await t.rejects(discoveries.get(upstream, alice), new EraChangedError());
  t.match((await discoveries.get(upstream, alice)).toString(), /^\{"resultType"/);
  t.same(told, ['upstream-auth', 'legacy', 'modern']);
});

t.test('closing ends the questions under way', async (t) => {
  const { upstream, server } = await behind(t, hang());
  const discoveries = new Discoveries(ignore);
  const refused = refusalOf(discoveries.get(upstream, alice));
  const seen = await server.request(0);
  discoveries.close();
  t.equal((await refused).cell, 'shutting-down');
  t.ok(await seen.gone);
});
