/** JSON-RPC batches of a 2025-03-26 session, over sockets (2025-03-26, basic/transports; basic/index "Batching"). */
import t from 'tap';
import { answer, hang, stream, type Script, type Seen } from '../../../upstreams/scripted.js';
import { eventually, legacyOnModern } from './rig.js';

const idOf = ({ body }: Seen): string => JSON.stringify((JSON.parse(body.toString()) as { id: unknown }).id);
const ask = (id: string, method = 'tools/list', params = '{}'): string =>
  `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}`;
const result = (id: string, inner = '{}'): string => `{"jsonrpc":"2.0","id":${id},"result":${inner}}`;
const event = (data: string): string => `data: ${data}\n\n`;
const cancelled = (id: string): string =>
  `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${id}}}`;
const progress = '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":1.0}}';

/** Answers every request at once. */
const echo: Script = (seen, socket) =>
  answer({ body: result(idOf(seen), '{"resultType":"complete","n":9007199254740993}') })(seen, socket);
const echoed = (id: string): string => result(id, '{"n":9007199254740993}');

t.test('each message on its own, the answers in one array', async (t) => {
  const rig = await legacyOnModern(t, echo);
  const session = await rig.session('2025-03-26');
  const batch = `[ ${ask('1')} ,\n${ask('"1"', 'ping')},{"jsonrpc":"2.0","method":"notifications/initialized"},${ask('2', 'prompts/list')}]`;
  const got = await rig.post(session, batch);
  t.equal(got.status, 200);
  t.same(got.all('content-type'), ['application/json']);
  t.same(Object.fromEntries(parsed(got.body)), { '1': echoed('1'), '"1"': result('"1"'), '2': echoed('2') });
  t.equal(rig.calls.length, 2);
  const [first] = rig.calls;
  t.same(
    [first?.all('mcp-method'), first?.body.subarray(0, 41).toString()],
    [['tools/list'], '{"jsonrpc":"2.0","id":1,"method":"tools/l'],
    'one message goes up, not the batch',
  );
  const one = await rig.post(session, `[${ask('1')}]`);
  t.equal(one.body.toString(), `[${echoed('1')}]`, 'a batch of one is answered as a batch');
});

/** The answers of an array by their ids, as they stand. */
function parsed(body: Buffer): [string, string][] {
  const text = body.toString();
  t.match(text, /^\[.*\]$/s);
  return [...text.slice(1, -1).matchAll(/\{"jsonrpc":"2\.0","id":([^,]+),.*?\}\}(?=,\{"jsonrpc"|$)/g)].map((found) => [
    found[1] ?? '',
    found[0],
  ]);
}

t.test('they run side by side', async (t) => {
  const waiting: (() => void)[] = [];
  const rig = await legacyOnModern(t, (seen, socket) => {
    waiting.push(() => void echo(seen, socket));
  });
  const answered = rig.post(await rig.session('2025-03-26'), `[${ask('1')},${ask('2')},${ask('3')}]`);
  await eventually(() => waiting.length === 3);
  for (const go of waiting.reverse()) go();
  t.equal(parsed((await answered).body).length, 3);
});

t.test('where nothing is to be answered', async (t) => {
  const rig = await legacyOnModern(t, echo);
  const session = await rig.session('2025-03-26');
  for (const batch of [
    '[{"jsonrpc":"2.0","method":"notifications/initialized"},{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}]',
    `[${result('1')},{"jsonrpc":"2.0","id":"2","error":{"code":-1,"message":"no"}}]`,
  ]) {
    const got = await rig.post(session, batch);
    t.same([got.status, got.body.length, got.all('content-type')], [202, 0, []], batch);
  }
});

t.test('a stream has each answer as an event, as soon as it is there', async (t) => {
  let finish = (): void => undefined;
  const rig = await legacyOnModern(t, async (seen, socket) => {
    if (idOf(seen) !== '2') return echo(seen, socket);
    await stream([event(progress)], { open: true })(seen, socket);
    finish = () => {
      const data = event(echoed('2'));
      socket.write(`${Buffer.byteLength(data).toString(16)}\r\n${data}\r\n0\r\n\r\n`);
    };
  });
  const session = await rig.session('2025-03-26');
  const call = ask('2', 'tools/call', '{"name":"a","_meta":{"progressToken":"p"}}');
  const incoming = await rig.open(session, `[${ask('1', 'ping')},${call}]`);
  t.equal(incoming.headers['content-type'], 'text/event-stream');
  let got = '';
  incoming.on('data', (chunk: Buffer) => (got += chunk.toString()));
  await eventually(() => got.includes('progressToken') && got.includes('"id":1'));
  finish();
  await eventually(() => incoming.complete);
  t.equal(got, event(result('1')) + event(progress) + event(echoed('2')));

  const json = rig.post(session, `[${ask('1', 'ping')},${call}]`, { accept: 'application/json' });
  await rig.call(1);
  await eventually(() => (finish(), true));
  t.same(Object.fromEntries(parsed((await json).body)), { '1': result('1'), '2': echoed('2') }, 'unless it reads none');
});

t.test('a client that reads only events', async (t) => {
  const rig = await legacyOnModern(t, echo);
  const session = await rig.session('2025-03-26');
  const accept = 'text/event-stream';
  const { body } = await rig.post(session, `[${ask('1', 'ping')},${ask('2')},5]`, { accept });
  const events = body.toString().split('\n\n').slice(0, -1).sort();
  t.match(events, [
    /^data: \{"jsonrpc":"2\.0","error":\{"code":-32600/,
    `data: ${result('1')}`,
    `data: ${echoed('2')}`,
  ]);
  t.equal((await rig.post(session, `[${ask('1')}]`, { accept: 'text/html' })).status, 406);
});

t.test('one that goes wrong is one that goes wrong', async (t) => {
  const rig = await legacyOnModern(t, (seen, socket) => {
    if (seen.all('mcp-name')[0] === 'broken') return void socket.resetAndDestroy();
    return echo(seen, socket);
  });
  const session = await rig.session('2025-03-26');
  const rows: [element: string, answer: object][] = [
    ['5', { error: { code: -32600 } }],
    ['[]', { error: { code: -32600 } }],
    ['{"jsonrpc":"1.0","id":"m","method":"ping"}', { id: 'm', error: { code: -32600, message: /jsonrpc/ } }],
    ['{"jsonrpc":"2.0","id":null,"method":"ping"}', { error: { code: -32600 } }],
    ['{"jsonrpc":"2.0","id":"m","method":"a","params":{"name":1,"name":2}}', { id: 'm', error: { code: -32600 } }],
    [ask('"m"', 'initialize'), { id: 'm', error: { code: -32600, message: /initialized already/ } }],
    [ask('"m"', 'logging/setLevel'), { id: 'm', error: { code: -32602 } }],
    [ask('"m"', 'tasks/list'), { id: 'm', error: { code: -32601 } }],
    [ask('"m"', 'tools/call', '{"name":"broken"}'), { id: 'm', error: { code: -32603 } }],
  ];
  for (const [element, wanted] of rows) {
    const { status, body } = await rig.post(session, `[${element},${ask('1')}]`);
    t.equal(status, 200, element);
    const answers = JSON.parse(body.toString()) as { id?: unknown }[];
    t.equal(answers.length, 2);
    t.match(
      answers.find(({ id }) => id === 1),
      { result: {} },
    );
    t.match(
      answers.find(({ id }) => id !== 1),
      wanted,
      element,
    );
  }
});

t.test('what is refused as a whole does nothing', async (t) => {
  const rig = await legacyOnModern(t, echo);
  const session = await rig.session('2025-03-26');
  const many = (count: number) => `[${Array.from({ length: count }, (_, n) => ask(`${n}`, 'ping')).join(',')}]`;
  const rows: [batch: string, message: RegExp][] = [
    ['[]', /an empty array is no batch/],
    [`[${ask('"a"')},${ask('2')},${ask('"\\u0061"')}]`, /the id "\\u0061" stands twice/],
    [`[${ask('1')},{"jsonrpc":"1.0","id":1,"method":"ping"}]`, /the id 1 stands twice/],
    [many(101), /it holds 101/],
  ];
  for (const [batch, message] of rows) {
    const { status, body } = await rig.post(session, batch);
    t.equal(status, 400);
    t.match(JSON.parse(body.toString()), { error: { code: -32600, message } });
  }
  t.equal(rig.calls.length, 0);
  t.equal((JSON.parse((await rig.post(session, many(100))).body.toString()) as object[]).length, 100);
});

t.test('no other session has batches', async (t) => {
  const rig = await legacyOnModern(t, echo);
  for (const revision of ['2024-11-05', '2025-06-18', '2025-11-25']) {
    const { status, body } = await rig.post(await rig.session(revision), `[${ask('1')},${ask('2')}]`);
    t.equal(status, 400, revision);
    t.match(JSON.parse(body.toString()), { error: { code: -32600, message: /array is not accepted/ } });
  }
  t.equal((await rig.post(undefined, `[${ask('1', 'initialize')}]`)).status, 400);
  t.equal(rig.calls.length, 0);
});

t.test('cancelling within a batch', async (t) => {
  const rig = await legacyOnModern(t, (seen, socket) => (idOf(seen) === '1' ? hang() : echo)(seen, socket));
  const session = await rig.session('2025-03-26');
  const { body } = await rig.post(session, `[${ask('1')},${ask('2')},${cancelled('1')}]`);
  t.equal(body.toString(), `[${echoed('2')}]`, 'no answer to what was cancelled');
  const alone = await rig.post(session, `[${ask('1')},${cancelled('1')}]`);
  t.same([alone.status, alone.body.length], [200, 0], 'a stream without an event, as for a single message');
  const answered = rig.post(session, `[${ask('1')},${ask('3')}]`);
  await eventually(() => rig.calls.filter((seen) => idOf(seen) === '3').length === 1);
  const again = await rig.post(session, `[${ask('1', 'tools/list')}]`);
  t.match(JSON.parse(again.body.toString()), [{ id: 1, error: { code: -32600, message: /under way/ } }]);
  await rig.post(session, cancelled('1'));
  t.equal((await answered).body.toString(), `[${echoed('3')}]`);
});

t.test('a level that is set in a batch counts for what follows in it', async (t) => {
  const rig = await legacyOnModern(t, echo);
  const session = await rig.session('2025-03-26');
  await rig.post(session, `[${ask('1', 'logging/setLevel', '{"level":"error"}')},${ask('2')}]`);
  t.match((await rig.call(0)).body.toString(), '"io.modelcontextprotocol/logLevel":"error"');
});

t.test('a challenge reaches the client where all have met it', async (t) => {
  const challenge = answer({ status: 401, headers: ['WWW-Authenticate', 'Bearer realm="up"'] });
  const rig = await legacyOnModern(t, challenge);
  const session = await rig.session('2025-03-26');
  const got = await rig.post(session, `[${ask('1')},${ask('2')}]`);
  t.same([got.status, got.all('www-authenticate')], [401, ['Bearer realm="up"']]);
  const mixed = await rig.post(session, `[${ask('1')},${ask('2', 'ping')}]`);
  t.equal(mixed.status, 200);
  t.equal(parsed(mixed.body).length, 2);
});
