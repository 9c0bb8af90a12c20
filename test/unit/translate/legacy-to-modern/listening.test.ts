/** The GET stream of a legacy client, and the one subscription that feeds it. B27, B34, B35 and B49 are defects that other gateways had. */
import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { answer, hang } from '../../../upstreams/scripted.js';
import { headOf } from '../../passthrough/gateway.js';
import { listens, listenTo, subscription, type Listens } from './listens.js';
import { eventually, legacyOnModern, type Rig, type Setting } from './rig.js';

const discovery = (capabilities: string): string =>
  `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":${capabilities},"ttlMs":60000,"cacheScope":"public"}`;
const everything = discovery(
  '{"tools":{"listChanged":true},"prompts":{"listChanged":true},"resources":{"listChanged":true,"subscribe":true}}',
);
const tools = 'notifications/tools/list_changed';

/** A session on an upstream whose subscriptions are `upstream`. */
async function start(t: Test, upstream: Listens, setting: Setting = {}): Promise<{ rig: Rig; session: string }> {
  const rig = await legacyOnModern(t, upstream.script, { discover: everything, ...setting });
  return { rig, session: await rig.session() };
}

const ask = async (rig: Rig, session: string, verb: 'subscribe' | 'unsubscribe', uri: string) => {
  const { status, body } = await rig.post(session, subscription(verb, uri));
  return { status, ...(JSON.parse(body.toString()) as { result?: object; error?: { code: number; message: string } }) };
};

/** An upstream that acknowledges everything at once. */
const willing = () => listens((held) => held.acknowledge());

t.test('GET opens at once, also where the upstream does not even answer (B27, B35)', async (t) => {
  const rig = await legacyOnModern(t, hang(), { discover: everything });
  const session = await rig.session();
  const asked = performance.now();
  const got = await listenTo(rig, session);
  t.ok(performance.now() - asked < 1_000);
  const head = headOf(got.incoming);
  t.equal(head.status, 200);
  t.same(head.all('content-type'), ['text/event-stream']);
  t.same(head.all('cache-control'), ['no-cache']);
  t.same(head.all('x-accel-buffering'), ['no']);
  got.leave();
});

t.test('one subscription for what the upstream advertises, with the envelope of the session', async (t) => {
  const upstream = willing();
  const { rig, session } = await start(t, upstream, {
    discover: discovery('{"tools":{"listChanged":true},"prompts":{},"resources":{"listChanged":true}}'),
  });
  await rig.post(session, '{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"debug"}}');
  const got = await listenTo(rig, session, { 'x-of-client': 'yes' });
  const held = await upstream.get(0);
  t.same(held.asked, { toolsListChanged: true, resourcesListChanged: true });
  const { _meta } = (JSON.parse(held.seen.body.toString()) as { params: { _meta: object } }).params;
  t.same(
    _meta,
    {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'desk', version: '1.4' },
      'io.modelcontextprotocol/clientCapabilities': { roots: {} },
    },
    'and no log level',
  );
  t.same(held.seen.all('mcp-method'), ['subscriptions/listen']);
  t.same(held.seen.all('mcp-protocol-version'), ['2026-07-28']);
  t.same(held.seen.all('x-of-client'), ['yes']);
  t.same(held.seen.all('mcp-session-id'), []);
  got.leave();
});

t.test('a client that is told plain notifications, and only those it may expect (B34, B49)', async (t) => {
  const upstream = listens();
  const { rig, session } = await start(t, upstream);
  const got = await listenTo(rig, session);
  const held = await upstream.get(0);
  held.acknowledge({ toolsListChanged: true });
  held.say('{"jsonrpc":"2.0","method":"notifications/prompts/list_changed"}');
  held.say('{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}');
  held.say('{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}');
  held.say('{"jsonrpc":"2.0","id":1,"method":"roots/list"}');
  held.say('\nid: a\nretry: 5\ndata:\n\nevent: ping\ndata: {}\n\n: hi');
  held.changed('file:///a');
  held.changed();
  await eventually(() => got.raw.length > 0);
  t.same(got.raw, [`{"jsonrpc":"2.0","method":"${tools}","params":{}}`]);
  got.leave();
});

t.test('a server that advertises nothing has nothing to be asked', async (t) => {
  const upstream = willing();
  const { rig, session } = await start(t, upstream, { discover: discovery('{"tools":{}}') });
  const got = await listenTo(rig, session);
  await sleep(200);
  t.equal(upstream.all.length, 0);
  t.equal(got.incoming.complete, false, 'the stream is open');
  got.leave();
});

t.test('a server that knows no subscriptions: the stream stays open and quiet', async (t) => {
  const unknown = '{"jsonrpc":"2.0","error":{"code":-32601,"message":"Method not found"}}';
  const rig = await legacyOnModern(t, answer({ status: 404, body: unknown }), { discover: everything });
  const session = await rig.session();
  const got = await listenTo(rig, session);
  await sleep(800);
  t.equal(rig.calls.length, 1, 'it is not asked again');
  t.equal(got.incoming.complete, false);
  t.match(await ask(rig, session, 'subscribe', 'file:///a'), { status: 200, error: { code: -32601 } });
  got.leave();
});

t.test('a server that honours nothing and ends at once is not asked again', async (t) => {
  const upstream = listens((held) => {
    held.acknowledge({});
    held.say('{"jsonrpc":"2.0","id":ID,"result":{"resultType":"complete"}}');
    held.end();
  });
  const { rig, session } = await start(t, upstream);
  const got = await listenTo(rig, session);
  await sleep(800);
  t.equal(upstream.all.length, 1);
  got.leave();
});

t.test(
  'subscribe is answered when the URI is acknowledged; the new subscription is there before the old one goes',
  async (t) => {
    const upstream = listens((held, index) => index === 0 && held.acknowledge());
    const { rig, session } = await start(t, upstream);
    const got = await listenTo(rig, session);
    const first = await upstream.get(0);
    let firstGone = false;
    void first.seen.gone.then(() => (firstGone = true));
    await sleep(50);

    let answered = false;
    const asking = ask(rig, session, 'subscribe', 'file:///a').finally(() => (answered = true));
    const second = await upstream.get(1);
    t.same(second.asked, {
      toolsListChanged: true,
      promptsListChanged: true,
      resourcesListChanged: true,
      resourceSubscriptions: ['file:///a'],
    });
    first.changed(); // while the new one is not acknowledged, the old one still counts
    await eventually(() => got.events.length === 1);
    await sleep(100);
    t.notOk(answered || firstGone);
    second.acknowledge();
    t.match(await asking, { status: 200, result: {} });

    first.changed(); // what happens now comes on both
    second.changed();
    second.changed('file:///a');
    second.changed('file:///other');
    first.say('{"jsonrpc":"2.0","method":"notifications/prompts/list_changed"}'); // what was on its way comes on the old one
    await eventually(() => firstGone);
    second.changed('file:///a/b');
    await eventually(() => got.events.includes('file:///a/b'));
    t.same([...got.events].sort(), ['file:///a', 'file:///a/b', 'notifications/prompts/list_changed', tools, tools]);
    got.leave();
  },
);

t.test('a URI that is not acknowledged is an error, and all is as before', async (t) => {
  const upstream = listens((held, index) => held.acknowledge(index === 1 ? { toolsListChanged: true } : undefined));
  const { rig, session } = await start(t, upstream);
  t.match(await ask(rig, session, 'subscribe', 'file:///a'), { result: {} });
  const refused = await ask(rig, session, 'subscribe', 'file:///b');
  t.match(refused, { status: 200, error: { code: -32602, message: /does not promise/ } });
  t.match(await ask(rig, session, 'subscribe', 'file:///c'), { result: {} });
  t.same((await upstream.get(2)).asked.resourceSubscriptions, ['file:///a', 'file:///c']);
  t.match(await ask(rig, session, 'subscribe', 'file:///c'), { result: {} });
  t.equal(upstream.all.length, 3, 'what is acknowledged is not asked for again');
  for (const params of ['{}', '{"uri":7}'])
    t.match(
      (
        await rig.post(session, `{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":${params}}`)
      ).body.toString(),
      /-32602/,
    );
});

t.test('refusals of the subscription are told by name', async (t) => {
  for (const [name, script, expected] of [
    [
      'an error',
      answer({ body: '{"jsonrpc":"2.0","error":{"code":-32603,"message":"too many"}}' }),
      { status: 200, error: { code: -32602, message: /too many/ } },
    ],
    ['a credential', answer({ status: 401, headers: ['WWW-Authenticate', 'Bearer'] }), { status: 401 }],
    [
      'no acknowledgement',
      answer({ body: '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}' }),
      { status: 502 },
    ],
    ['no answer', hang(), { status: 504, error: { message: /did not answer in time/ } }],
  ] as const) {
    const rig = await legacyOnModern(t, script, { discover: everything, timeouts: { firstByte: 300 } });
    t.match(await ask(rig, await rig.session(), 'subscribe', 'file:///a'), expected, name);
  }
});

t.test('subscriptions that are asked for together are asked for together', async (t) => {
  const upstream = willing();
  const { rig, session } = await start(t, upstream);
  const uris = Array.from({ length: 20 }, (_, at) => `file:///${at}`);
  const got = await Promise.all(uris.map((uri, at) => rig.post(session, subscription('subscribe', uri, at))));
  t.ok(got.every(({ body }) => body.includes('"result":{}')));
  t.ok(upstream.all.length < 20, `${upstream.all.length} requests`);
  t.same(new Set(upstream.all.at(-1)?.asked.resourceSubscriptions), new Set(uris));
});

t.test('unsubscribe takes the URI out of the subscription', async (t) => {
  const upstream = willing();
  const { rig, session } = await start(t, upstream);
  for (const uri of ['file:///a', 'file:///b']) await ask(rig, session, 'subscribe', uri);
  t.match(await ask(rig, session, 'unsubscribe', 'file:///a'), { result: {} });
  t.same((await upstream.get(2)).asked.resourceSubscriptions, ['file:///b']);
  t.match(await ask(rig, session, 'unsubscribe', 'file:///a'), { result: {} }, 'once more changes nothing');
  t.equal(upstream.all.length, 3);
});

t.test('the last unsubscribe of a server that announces no lists ends the subscription', async (t) => {
  const upstream = willing();
  const { rig, session } = await start(t, upstream, { discover: discovery('{"resources":{"subscribe":true}}') });
  await ask(rig, session, 'subscribe', 'file:///a');
  t.match(await ask(rig, session, 'unsubscribe', 'file:///a'), { result: {} });
  await (
    await upstream.get(0)
  ).seen.gone;
  t.equal(upstream.all.length, 1);
});

t.test('unsubscribe ends the updates also where the upstream cannot be told', async (t) => {
  const upstream = listens((held, index) => (index === 2 ? held.reset() : held.acknowledge()));
  const { rig, session } = await start(t, upstream);
  const got = await listenTo(rig, session);
  await ask(rig, session, 'subscribe', 'file:///a');
  t.match(await ask(rig, session, 'unsubscribe', 'file:///a'), { result: {} });
  const held = await upstream.get(1);
  held.changed('file:///a');
  held.changed();
  await eventually(() => got.events.length > 0);
  t.same(got.events, [tools]);
  got.leave();
});

t.test('what comes before there is a stream waits for it, the latest of equals', async (t) => {
  const upstream = willing();
  const { rig, session } = await start(t, upstream);
  await ask(rig, session, 'subscribe', 'file:///a');
  const held = await upstream.get(0);
  held.changed('file:///a');
  held.changed();
  held.changed('file:///a');
  await sleep(100);
  const got = await listenTo(rig, session);
  await eventually(() => got.events.length === 2);
  t.same(got.events, [tools, 'file:///a']);
  t.equal(upstream.all.length, 1, 'the subscription serves on');

  got.leave();
  await sleep(100);
  held.changed();
  const again = await listenTo(rig, session);
  await eventually(() => again.events.length === 1);
  again.leave();
});

t.test('a subscription does not outlive its last reader for long', async (t) => {
  const upstream = willing();
  const { rig, session } = await start(t, upstream, { limits: { detachedCall: 300 } });
  await ask(rig, session, 'subscribe', 'file:///a');
  await (
    await upstream.get(0)
  ).seen.gone;
  const got = await listenTo(rig, session);
  t.same((await upstream.get(1)).asked.resourceSubscriptions, ['file:///a'], 'what was subscribed to still is');
  await sleep(600);
  (await upstream.get(1)).changed('file:///a');
  await eventually(() => got.events.length === 1);
  got.leave();
});

t.test('of several streams the newest gets the messages, each message one of them', async (t) => {
  const upstream = willing();
  const { rig, session } = await start(t, upstream);
  const older = await listenTo(rig, session);
  const newer = await listenTo(rig, session);
  const held = await upstream.get(0);
  held.changed();
  await eventually(() => newer.events.length === 1);
  newer.leave();
  await sleep(100);
  held.changed();
  await eventually(() => older.events.length === 1);
  t.equal(newer.events.length, 1);
  t.equal(upstream.all.length, 1);
  const more = [];
  for (let count = 0; count < 4; count++) more.push(await listenTo(rig, session));
  t.ok(await older.ended, 'the oldest ends when there are too many');
  for (const one of more) one.leave();
});

t.test('a subscription that ends is opened again; the client does not hear of it', async (t) => {
  for (const [name, finish] of [
    ['by its result', (held) => held.say('{"jsonrpc":"2.0","id":ID,"result":{"resultType":"complete"}}')],
    [
      'by a cancellation',
      (held) => held.say('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":ID}}'),
    ],
    ['by the end of its stream', (held) => held.end()],
    ['by a reset', (held) => held.reset()],
  ] as const satisfies readonly (readonly [string, (held: Listens['all'][number]) => void])[]) {
    const upstream = willing();
    const { rig, session } = await start(t, upstream);
    const got = await listenTo(rig, session);
    await ask(rig, session, 'subscribe', 'file:///a');
    const held = await upstream.get(1);
    finish(held);
    const next = await upstream.get(2);
    t.same(next.asked, held.asked, name);
    await sleep(50);
    next.changed();
    await eventually(() => got.events.length === 1);
    t.equal(got.incoming.complete, false);
    got.leave();
  }
});

t.test('an upstream that always breaks off is asked ever less often', async (t) => {
  const upstream = listens((held) => {
    held.acknowledge();
    held.end();
  });
  const { rig, session } = await start(t, upstream);
  const got = await listenTo(rig, session);
  await sleep(2_000);
  t.ok(upstream.all.length >= 3 && upstream.all.length <= 6, `${upstream.all.length} requests`);
  got.leave();
});

t.test('the latest credential of the owner goes with the next subscription', async (t) => {
  const token = (claims: object): string =>
    `Bearer ${['{"alg":"none"}', JSON.stringify(claims)].map((part) => Buffer.from(part).toString('base64url')).join('.')}.x`;
  const [old, fresh] = [token({ sub: 'ada', n: 1 }), token({ sub: 'ada', n: 2 })];
  const upstream = willing();
  const rig = await legacyOnModern(t, upstream.script, { discover: everything });
  const session = await rig.session(undefined, { authorization: old });
  const got = await listenTo(rig, session, { authorization: old });
  t.same((await upstream.get(0)).seen.all('authorization'), [old]);
  await rig.post(session, '{"jsonrpc":"2.0","id":1,"method":"ping"}', { authorization: fresh });
  (await upstream.get(0)).end();
  t.same((await upstream.get(1)).seen.all('authorization'), [fresh]);
  got.leave();
});

t.test('DELETE ends the stream and the subscription, and a subscribe that is under way', async (t) => {
  const upstream = listens((held, index) => index === 0 && held.acknowledge());
  const { rig, session } = await start(t, upstream);
  const got = await listenTo(rig, session);
  const held = await upstream.get(0);
  const asking = ask(rig, session, 'subscribe', 'file:///a');
  await upstream.get(1);
  t.equal((await rig.bare('DELETE', session)).status, 200);
  t.ok(await got.ended, 'properly');
  await held.seen.gone;
  await (
    await upstream.get(1)
  ).seen.gone;
  t.match(await asking, { status: 404, error: { message: /has ended/ } });
  const late = await listenTo(rig, session);
  t.equal(late.incoming.statusCode, 404);
});

t.test('a session with an open stream is not idle; one without ends, and its subscription with it', async (t) => {
  const upstream = willing();
  const { rig, session } = await start(t, upstream, { limits: { sessionIdle: 500 } });
  const got = await listenTo(rig, session);
  await ask(rig, session, 'subscribe', 'file:///a');
  await sleep(1_500);
  t.equal(got.incoming.complete, false);
  (await upstream.get(1)).changed();
  await eventually(() => got.events.length === 1);
  got.leave();
  await (
    await upstream.get(1)
  ).seen.gone;
  t.equal((await listenTo(rig, session)).incoming.statusCode, 404);
});

t.test('a slow client costs no memory and loses nothing', async (t) => {
  const upstream = willing();
  const { rig, session } = await start(t, upstream);
  const got = await listenTo(rig, session);
  got.incoming.pause();
  await ask(rig, session, 'subscribe', 'file:///a');
  const held = await upstream.get(1);
  const long = `file:///a/${'x'.repeat(100_000)}`;
  for (let count = 0; count < 200; count++) held.changed(`${long}${count % 2}`);
  held.changed();
  await sleep(500);
  got.incoming.resume();
  await eventually(() => got.events.includes(tools));
  t.ok(got.events.includes(`${long}1`));
  t.ok(got.events.length < 200, `${got.events.length} of 201`);
  got.leave();
});

t.test('a client that cannot read events', async (t) => {
  const { rig, session } = await start(t, willing());
  const got = await listenTo(rig, session, { accept: 'application/json' });
  t.equal(got.incoming.statusCode, 406);
});
