import t from 'tap';
import { setTimeout as sleep } from 'node:timers/promises';
import { probeUpstream } from '../../../src/era/probe.js';
import { HttpUpstream } from '../../../src/upstreams/http.js';
import { metaKeys } from '../../../src/wire/meta-keys.js';
import { readMessage } from '../../../src/wire/jsonrpc.js';
import {
  answer,
  halfClose,
  hang,
  hugeBody,
  lyingLength,
  redirect,
  refusing,
  resetBeforeHead,
  resetMidStream,
  silentStream,
  slowBody,
  stream,
  type Script,
} from '../../upstreams/scripted.js';
import { upstreamConfig } from '../../upstreams/scripted-config.js';
import { behind, discovered, failing } from './upstream.js';

const quick = { connect: 500, firstByte: 200, idle: 60_000 };

t.test('the probe is a whole modern request', async (t) => {
  const { upstream, server } = await behind(t, answer({ body: discovered() }));
  t.match(await probeUpstream(upstream, { authorization: 'Bearer c' }), { kind: 'verdict', speaks: 'modern' });
  const seen = await server.request(0);
  t.equal(seen.method, 'POST');
  t.same(seen.all('content-type'), ['application/json']);
  t.same(seen.all('accept'), ['application/json, text/event-stream']);
  t.same(seen.all('mcp-protocol-version'), ['2026-07-28']);
  t.same(seen.all('mcp-method'), ['server/discover']);
  t.same(seen.all('authorization'), ['Bearer c']);
  t.equal(readMessage(seen.body).kind, 'request');
  const { params } = JSON.parse(seen.body.toString()) as { params: { _meta: Record<string, unknown> } };
  t.match(params._meta, {
    [metaKeys.protocolVersion]: '2026-07-28',
    [metaKeys.clientInfo]: { name: 'mcp-resilience', version: /^\d+\.\d+\.\d+/ },
  });
  t.same(params._meta[metaKeys.clientCapabilities], {}, 'nothing is declared that a client might lack');
});

t.test('an anonymous probe has no credential, and a configured one wins', async (t) => {
  const { upstream, server } = await behind(t, answer({ body: discovered() }));
  await probeUpstream(upstream);
  t.same((await server.request(0)).all('authorization'), []);
  const headers = new Map([['Authorization', 'Bearer own']]);
  const owned = await behind(t, answer({ status: 401, headers: ['WWW-Authenticate', 'Bearer'] }), { headers });
  const outcome = await probeUpstream(owned.upstream, { authorization: 'Bearer c' });
  t.same((await owned.server.request(0)).all('authorization'), ['Bearer own']);
  t.match(outcome, { kind: 'none', refusal: { cell: 'upstream-credential', headers: undefined } });
});

t.test('a challenge on two lines arrives whole', async (t) => {
  const { upstream } = await behind(
    t,
    answer({ status: 401, headers: ['WWW-Authenticate', 'Bearer a="1"', 'WWW-Authenticate', 'Basic realm="b"'] }),
  );
  t.match(await probeUpstream(upstream), {
    refusal: { cell: 'upstream-auth', headers: { 'www-authenticate': 'Bearer a="1", Basic realm="b"' } },
  });
});

t.test('an answer on an event stream is taken as soon as it is there', async (t) => {
  const event = `data: ${discovered()}\n\n`;
  const events = [': hello\n\n', event.slice(0, 40), event.slice(40)];
  const { upstream, server } = await behind(t, stream(events, { pause: 20, open: true }));
  const outcome = await probeUpstream(upstream);
  t.match(outcome, { kind: 'verdict', speaks: 'modern', revisions: ['2026-07-28'] });
  t.ok(await (await server.request(0)).gone, 'the stream is not kept open');
});

t.test('another revision is tried once', async (t) => {
  const wrong = answer({ status: 400, body: failing(-32022, { supported: ['2026-07-28'] }) });
  const revisions = ['2027-01-01', '2026-07-28'] as const;
  const { upstream, server } = await behind(t, [wrong, answer({ body: discovered() })]);
  t.match(await probeUpstream(upstream, { revisions: [...revisions] }), { kind: 'verdict', speaks: 'modern' });
  t.same(server.requests[0]?.all('mcp-protocol-version'), ['2027-01-01']);
  t.same(server.requests[1]?.all('mcp-protocol-version'), ['2026-07-28']);
  t.match(server.requests[1]?.body.toString(), /"io\.modelcontextprotocol\/protocolVersion":"2026-07-28"/);

  const torn = answer({ status: 400, body: failing(-32022, { supported: ['2027-01-01'] }) });
  const liar = await behind(t, [wrong, torn]);
  t.match(await probeUpstream(liar.upstream, { revisions: [...revisions] }), {
    kind: 'none',
    refusal: { cell: 'upstream-unintelligible' },
  });
  t.equal(liar.server.requests.length, 2);
});

const failures: readonly [string, Script, string][] = [
  ['a reset', resetBeforeHead(), 'upstream-reset'],
  ['a FIN in place of an answer', halfClose(), 'upstream-reset'],
  ['a body that ends early', lyingLength(1_000, '{"jsonrpc"'), 'upstream-reset'],
  ['a stream that breaks off', resetMidStream([': hello\n\n']), 'upstream-reset'],
  ['silence', hang(), 'upstream-timeout'],
  ['a stream that stays silent', silentStream(), 'upstream-timeout'],
  [
    'a body that takes for ever',
    slowBody(
      Array.from({ length: 50 }, () => ' '),
      50,
    ),
    'upstream-timeout',
  ],
  ['an endless body', hugeBody(64 * 1024 * 1024), 'upstream-unintelligible'],
  [
    'an endless stream',
    stream(Array.from({ length: 40 }, () => `:${'x'.repeat(64 * 1024)}\n\n`)),
    'upstream-unintelligible',
  ],
  [
    'a coding that was not asked for',
    answer({ headers: ['Content-Encoding', 'gzip'], body: '\x1f\x8b' }),
    'upstream-unintelligible',
  ],
  ['a redirect', redirect(307, 'http://internal.example/mcp'), 'upstream-redirect'],
  ['500', answer({ status: 500, body: failing(-32603) }), 'upstream-failed'],
];

for (const [name, script, cell] of failures) {
  t.test(`${name} gives no verdict`, async (t) => {
    const { upstream } = await behind(t, script, { timeouts: quick });
    t.match(await probeUpstream(upstream), { kind: 'none', refusal: { cell } });
  });
}

t.test('nobody there gives no verdict', async (t) => {
  const upstream = new HttpUpstream(upstreamConfig(await refusing(), { timeouts: quick }));
  t.teardown(() => upstream.close());
  t.match(await probeUpstream(upstream), { kind: 'none', refusal: { cell: 'upstream-unreachable' } });
});

t.test('an abort ends it at once, before and after the head', async (t) => {
  for (const script of [hang(), silentStream()]) {
    const { upstream, server } = await behind(t, script);
    const controller = new AbortController();
    const reason = new Error('enough');
    const probing = probeUpstream(upstream, { signal: controller.signal });
    const seen = await server.request(0);
    await sleep(50);
    controller.abort(reason);
    await t.rejects(probing, reason);
    t.ok(await seen.gone, 'the request is cancelled');
    await t.rejects(probeUpstream(upstream, { signal: controller.signal }), reason);
    t.equal(server.requests.length, 1, 'and none is begun');
  }
});
