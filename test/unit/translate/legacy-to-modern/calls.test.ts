/** Calls of a legacy client over real sockets, on an upstream that plays by the rules. */
import t from 'tap';
import { answer, stream } from '../../../upstreams/scripted.js';
import { fetchRaw } from '../../passthrough/gateway.js';
import { both, legacyOnModern } from './rig.js';

const call = '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"a","_meta":{"progressToken":"p"}}}';
const done = '{"jsonrpc":"2.0","id":7,"result":{"resultType":"complete","n":9007199254740993}}';
const told = '{"jsonrpc":"2.0","id":7,"result":{"n":9007199254740993}}';
const progress = (token: string): string =>
  `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":${token},"progress":1.0}}`;
const event = (data: string): string => `data: ${data}\n\n`;

t.test('the answer comes in a form that the client reads', async (t) => {
  const events = stream([event(progress('"p"')), event(done)]);
  const rows: [accept: string, upstream: 'json' | 'events', got: 'json' | 'events'][] = [
    [both, 'json', 'json'],
    [both, 'events', 'events'],
    ['text/event-stream, application/json', 'events', 'events'],
    ['*/*', 'events', 'events'],
    ['', 'events', 'events'],
    ['application/json', 'json', 'json'],
    ['application/json', 'events', 'json'],
    ['application/json, text/event-stream;q=0', 'events', 'json'],
    ['text/event-stream', 'json', 'events'],
    ['text/event-stream', 'events', 'events'],
  ];
  for (const [accept, upstream, got] of rows) {
    const rig = await legacyOnModern(t, upstream === 'json' ? answer({ body: done }) : events);
    const session = await rig.session();
    const answered = await rig.post(session, call, { accept });
    const body = answered.body.toString();
    const wanted = upstream === 'json' ? event(told) : event(progress('"p"')) + event(told);
    t.equal(answered.status, 200);
    t.same(answered.all('content-type'), [got === 'json' ? 'application/json' : 'text/event-stream']);
    t.equal(body, got === 'json' ? told : wanted, `Accept: ${accept}, upstream ${upstream}`);
    t.same(rig.calls[0]?.all('accept'), [both], 'upstream always hears both');
    if (got === 'events')
      t.match(
        { cache: answered.all('cache-control'), buffering: answered.all('x-accel-buffering') },
        { cache: ['no-cache'], buffering: ['no'] },
      );
  }
  const rig = await legacyOnModern(t, answer({ body: done }));
  const session = await rig.session();
  for (const body of [call, '{"jsonrpc":"2.0","id":1,"method":"ping"}'])
    t.equal((await rig.post(session, body, { accept: 'text/html' })).status, 406);
  t.equal(rig.calls.length, 0, 'and nothing was done for a client that could not have read the answer');
});

t.test('a client of event streams reads handshake, local answers and refusals as events', async (t) => {
  const rig = await legacyOnModern(t, answer({ body: done }));
  const accept = 'text/event-stream';
  const session = await rig.session('2025-06-18', { accept });
  const ask = async (method: string) =>
    (await rig.post(session, `{"jsonrpc":"2.0","id":"a","method":"${method}"}`, { accept })).body.toString();
  t.equal(await ask('ping'), event('{"jsonrpc":"2.0","id":"a","result":{}}'));
  t.match(await ask('tasks/get'), /^data: \{"jsonrpc":"2\.0","id":"a","error":\{"code":-32601,.*\}\n\n$/);
  t.match(await ask('logging/setLevel'), /^data: \{"jsonrpc":"2\.0","id":"a","error":\{"code":-32602,/);
});

t.test('the request upstream is one of its own hop', async (t) => {
  const rig = await legacyOnModern(t, answer({ body: done }));
  const session = await rig.session('2025-03-26', { authorization: 'Bearer mine' });
  await rig.post(session, call.replace('"a"', '"天気"'), {
    'mcp-protocol-version': '2025-03-26',
    'accept-encoding': 'gzip, br',
    authorization: 'Bearer mine',
    'last-event-id': 'e-1',
    'mcp-name': 'forged',
    'mcp-param-region': 'forged',
    'x-tenant': 'blue',
    traceparent: '00-1-2-01',
  });
  const seen = await rig.call(0);
  for (const [name, values] of Object.entries({
    accept: [both],
    'accept-encoding': ['identity'],
    authorization: ['Bearer mine'],
    'content-type': ['application/json'],
    'last-event-id': [],
    'mcp-method': ['tools/call'],
    'mcp-name': ['=?base64?5aSp5rCX?='],
    'mcp-param-region': [],
    'mcp-protocol-version': ['2026-07-28'],
    'mcp-session-id': [],
    'x-tenant': ['blue'],
    'x-forwarded-for': ['127.0.0.1'],
  }))
    t.same(seen.all(name), values, name);
  t.match(seen.body.toString(), '"traceparent":"00-1-2-01"');
  t.match(seen.body.toString(), '"clientCapabilities":{"roots":{}}'.replace('"', '"io.modelcontextprotocol/'));
});

t.test('the query of the endpoint goes along', async (t) => {
  const rig = await legacyOnModern(t, answer({ body: done }));
  const headers = { 'content-type': 'application/json', accept: both, 'mcp-session-id': await rig.session() };
  await fetchRaw(new URL('?key=a%20b', rig.url), call, { headers });
  t.equal((await rig.call(0)).target, '/mcp?key=a%20b');
});

t.test('a credential of the upstream’s own stands in place of the client’s', async (t) => {
  const rig = await legacyOnModern(t, answer({ body: done }), { headers: new Map([['Authorization', 'Bearer own']]) });
  const theirs = { authorization: 'Bearer mine' };
  await rig.post(await rig.session(undefined, theirs), call, theirs);
  t.same((await rig.call(0)).all('authorization'), ['Bearer own']);
});

t.test('what is no message of the call does not reach the client', async (t) => {
  const rig = await legacyOnModern(
    t,
    stream([
      'id: e-1\nretry: 5\ndata:\n\n',
      'event: ping\ndata: {}\n\n',
      ': hello\n\n',
      event(progress('"other"')),
      `event: other\n${event(progress('"p"'))}`,
      event('{"jsonrpc":"2.0","id":8,"result":{}}'),
      event('{"jsonrpc":"2.0","id":"7","result":{}}'),
      event('{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{}}'),
      event('no JSON'),
      `event: message\nid: e-2\n${event(progress('"p"'))}`,
      event(done),
      event(progress('"p"')),
      event(done),
    ]),
  );
  const { body } = await rig.post(await rig.session(), call);
  t.equal(body.toString(), event(progress('"p"')) + event(told));
});

t.test('two calls in flight whose ids differ only in type', async (t) => {
  const rig = await legacyOnModern(t, (seen, socket) => {
    const { id } = JSON.parse(seen.body.toString()) as { id: unknown };
    const body = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"of":"${typeof id}"}}`;
    setTimeout(() => void answer({ body })(seen, socket), id === 1 ? 60 : 20);
  });
  const session = await rig.session();
  const ask = async (id: string) =>
    (await rig.post(session, `{"jsonrpc":"2.0","id":${id},"method":"tools/list"}`)).body.toString();
  t.same(await Promise.all([ask('1'), ask('"1"')]), [
    '{"jsonrpc":"2.0","id":1,"result":{"of":"number"}}',
    '{"jsonrpc":"2.0","id":"1","result":{"of":"string"}}',
  ]);
});

t.test('one connection serves call after call, also when they stream', async (t) => {
  // The stream ends a moment after its answer: the connection is then as good as new.
  const rig = await legacyOnModern(t, stream([event(done), ': bye\n\n'], { pause: 20 }));
  const session = await rig.session();
  for (let n = 0; n < 10; n++) await rig.post(session, call);
  t.equal(rig.calls.length, 10);
  t.ok(rig.connections() <= 5, `${rig.connections()} connections`);
});

t.test('methods of the other era, and what is not carried, never reach the upstream', async (t) => {
  const rig = await legacyOnModern(t, answer({ body: done }));
  const session = await rig.session();
  for (const method of ['tasks/get', 'tasks/list', 'server/discover', 'subscriptions/listen']) {
    const { status, body } = await rig.post(session, `{"jsonrpc":"2.0","id":"m","method":"${method}"}`);
    t.equal(status, 200);
    t.match(JSON.parse(body.toString()), { id: 'm', error: { code: -32601, message: new RegExp(method) } });
  }
  for (const notification of ['initialized', 'roots/list_changed', 'progress', 'unheard-of']) {
    const got = await rig.post(session, `{"jsonrpc":"2.0","method":"notifications/${notification}"}`);
    t.match({ ...got, body: got.body.length, type: got.all('content-type') }, { status: 202, body: 0, type: [] });
  }
  for (const reply of ['"result":{}', '"error":{"code":1,"message":"no"}'])
    t.equal((await rig.post(session, `{"jsonrpc":"2.0","id":1,${reply}}`)).status, 202);
  t.match(
    JSON.parse((await rig.post(session, '{"jsonrpc":"2.0","id":5,"method":"initialize","params":{}}')).body.toString()),
    {
      id: 5,
      error: { code: -32600 },
    },
  );
  t.equal((await rig.post(session, '[{"jsonrpc":"2.0","id":1,"method":"ping"}]')).status, 400);
  t.equal(rig.calls.length, 0);
});

t.test('a level is kept by its session and no other, a wrong one changes nothing', async (t) => {
  const rig = await legacyOnModern(t, answer({ body: done }));
  const [one, other] = [await rig.session(), await rig.session()];
  const set = async (level: string) => {
    const body = `{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":${level}}}`;
    return (JSON.parse((await rig.post(one, body)).body.toString()) as { error?: { code: number } }).error?.code;
  };
  t.equal(await set('"notice"'), undefined);
  for (const wrong of ['"loud"', '"Debug"', '7', 'null', '"__proto__"']) t.equal(await set(wrong), -32602, wrong);
  await rig.post(one, call);
  await rig.post(other, call);
  const key = 'io.modelcontextprotocol/logLevel';
  t.match(rig.calls[0]?.body.toString(), `"${key}":"notice"`);
  t.notMatch(rig.calls[1]?.body.toString(), key);
});
