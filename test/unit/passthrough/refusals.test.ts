import t from 'tap';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent } from 'node:http';
import {
  answer,
  halfClose,
  hang,
  html,
  lyingLength,
  rawClient,
  redirect,
  refusing,
  resetBeforeHead,
  slowBody,
  stream,
  type Script,
} from '../../upstreams/scripted.js';
import { fetchRaw, gateway, type Got } from './gateway.js';

const call = '{"jsonrpc":"2.0","id":"a\\u0031","method":"tools/call","params":{}}';
const timeouts = { connect: 1000, firstByte: 200, idle: 1000 };

/** The refusal in an answer: its status and JSON-RPC error, with the id as it was sent. */
function refusal(got: Got) {
  const text = got.body.toString();
  const { error } = JSON.parse(text) as { error: { code: number } };
  return { status: got.status, code: error.code, id: /"id":("[^"]*"|\d+)/.exec(text)?.[1] };
}

const large = `${call.slice(0, -2)}"pad":"${'x'.repeat(200_000)}"}}`;

for (const [how, body, setting] of [
  ['read before', call, { body: 'read' }],
  ['small and streamed', call, { body: 'stream' }],
  ['large and streamed', large, { body: 'stream' }],
] as const) {
  t.test(`an upstream in trouble is answered with the request's id (body ${how})`, async (t) => {
    const rows: [string, Script | URL, number, string][] = [
      ['refused', await refusing(), 502, 'upstream-unreachable'],
      ['reset', resetBeforeHead(), 502, 'upstream-reset'],
      ['half-closed', halfClose(), 502, 'upstream-reset'],
      ['silent', hang(), 504, 'upstream-timeout'],
      ['redirecting', redirect(307, 'http://10.0.0.1/internal'), 502, 'upstream-redirect'],
    ];
    for (const [name, script, status, cell] of rows) {
      const g = await gateway(t, script, { ...setting, config: { timeouts }, always: { 'x-always': '1' } });
      const got = await fetchRaw(g.url, body);
      t.same(refusal(got), { status, code: -32603, id: '"a\\u0031"' }, name);
      t.same(got.all('x-always'), ['1'], name);
      t.notMatch(JSON.stringify(got.rawHeaders) + got.body.toString(), /10\.0\.0\.1|127\.0\.0\.1|ECONN/, name);
      t.match(await g.ended(0), { outcome: 'refused', cell }, name);
      t.ok(g.upstream.requests.length <= 1, `${name}: sent once`);
    }
  });
}

t.test('a body in which no id can be read is answered without one', async (t) => {
  for (const body of ['', 'no json', '[1,2]', '{"jsonrpc":"2.0","id":{}}']) {
    const g = await gateway(t, await refusing());
    t.same(refusal(await fetchRaw(g.url, body)), { status: 502, code: -32603, id: undefined });
  }
});

t.test('the client’s connection is as good as before', async (t) => {
  const g = await gateway(t, [resetBeforeHead(), resetBeforeHead(), answer({ body: '{}' })]);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  t.teardown(() => agent.destroy());
  for (const [body, status] of [
    [call, 502],
    [large, 502],
    [call, 200],
  ] as const) {
    t.equal((await fetchRaw(g.url, body, { agent })).status, status);
  }
});

t.test('a large body for an upstream that is not there does not block the connection', async (t) => {
  const g = await gateway(t, await refusing());
  const socket = await rawClient(g.url);
  const huge = 20_000_000;
  socket.write(`POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Length: ${huge}\r\n\r\n`);
  socket.write(Buffer.alloc(huge, ' '));
  socket.write(`POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}`);
  let text = '';
  while ((text.match(/HTTP\/1\.1 502/g) ?? []).length < 2) text += String((await once(socket, 'data'))[0]);
  t.match(await g.ended(1), { outcome: 'refused', cell: 'upstream-unreachable' });
  socket.destroy();
});

t.test('a body that stops in the middle is answered, and the upstream request cancelled', async (t) => {
  const g = await gateway(t, hang(), { options: { bounds: { limit: Infinity, patience: 150 } }, readBody: false });
  const socket = await rawClient(g.url);
  socket.write(`POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Length: 500000\r\n\r\n${call.slice(0, -1)}`);
  const { incoming, gone } = await g.upstream.request(0);
  incoming.on('error', () => undefined).resume();
  const [data] = (await once(socket, 'data')) as [Buffer];
  t.match(data.toString(), /^HTTP\/1\.1 408 [\s\S]*"id":"a\\u0031"/);
  await gone;
  t.match(await g.ended(0), { outcome: 'refused', cell: 'body-too-slow' });
  socket.destroy();
});

t.test('a slow body that goes on is no stalled one', async (t) => {
  const g = await gateway(t, answer({ body: '{}' }), { options: { bounds: { limit: Infinity, patience: 200 } } });
  const socket = await rawClient(g.url);
  socket.write('POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Length: 8\r\n\r\n');
  for (const part of ['ab', 'cd', 'ef', 'gh']) {
    await sleep(120);
    socket.write(part);
  }
  t.equal((await g.upstream.request(0)).body.toString(), 'abcdefgh');
  socket.destroy();
});

t.test('a redirect without a target, and 3xx that are none, pass', async (t) => {
  const g = await gateway(t, answer({ status: 300, body: '{}' }));
  t.equal((await fetchRaw(g.url, call)).status, 300);
});

for (const status of [301, 302, 303, 307, 308]) {
  t.test(`${status} is not followed nor shown`, async (t) => {
    const g = await gateway(t, redirect(status, '/elsewhere'));
    const got = await fetchRaw(g.url, call);
    t.equal(got.status, 502);
    t.same(got.all('location'), []);
    t.equal(g.upstream.requests.length, 1);
  });
}

t.test('a challenge passes, rewritten where the edge wants it', async (t) => {
  const challenge = 'Bearer resource_metadata="http://10.0.0.1/.well-known/oauth-protected-resource"';
  for (const status of [401, 403]) {
    const script = answer({ status, headers: ['WWW-Authenticate', challenge, 'WWW-Authenticate', 'Basic'] });
    const plain = await gateway(t, script);
    t.same((await fetchRaw(plain.url, call)).all('www-authenticate'), [challenge, 'Basic']);
    const rewriteChallenge = (value: string): string => value.replace('http://10.0.0.1', 'https://mcp.example');
    const g = await gateway(t, script, { rewriteChallenge });
    const got = await fetchRaw(g.url, call);
    t.equal(got.status, status);
    t.same(got.all('www-authenticate'), [challenge.replace('http://10.0.0.1', 'https://mcp.example'), 'Basic']);
  }
});

t.test('a 401 to the gateway’s own credential is not the client’s to mend', async (t) => {
  const config = { headers: new Map([['authorization', 'Bearer own']]) };
  const g = await gateway(t, answer({ status: 401, headers: ['WWW-Authenticate', 'Bearer'] }), { config });
  const got = await fetchRaw(g.url, call, { headers: { authorization: 'Bearer client' } });
  t.same(refusal(got), { status: 502, code: -32603, id: '"a\\u0031"' });
  t.same(got.all('www-authenticate'), []);
  t.match(await g.ended(0), { cell: 'upstream-credential' });
  t.same(g.upstream.requests[0]?.all('authorization'), ['Bearer own']);
});

t.test('a body shorter than promised breaks the client’s too', async (t) => {
  const g = await gateway(t, lyingLength(100, '{"short":'));
  await t.rejects(fetchRaw(g.url, call));
  t.match(await g.ended(0), { outcome: 'upstream-error', cell: 'upstream-reset' });
});

t.test('HTML and slow bodies pass: they are the upstream’s', async (t) => {
  const page = await gateway(t, html());
  t.match(await fetchRaw(page.url, call), { status: 200, body: Buffer.from('<!doctype html><title>hello</title>') });
  const slow = await gateway(t, slowBody(['{"a"', ':1', '}'], 60));
  t.equal((await fetchRaw(slow.url, call)).body.toString(), '{"a":1}');
});

t.test('a notification is answered 202 and nothing else, whatever 2xx the upstream gave', async (t) => {
  const options = { notification: true };
  const rows: [string, Script][] = [
    ['200 and JSON', answer({ body: '{"jsonrpc":"2.0","result":{}}' })],
    ['202', answer({ status: 202, headers: [] })],
    ['204', answer({ status: 204, headers: [] })],
    ['200 and null', answer({ body: 'null', headers: ['Content-Type', 'application/json', 'Mcp-Session-Id', 's'] })],
    ['a stream', stream(['data: 1\n\n'], { open: true })],
    ['a long answer', answer({ body: 'x'.repeat(500_000) })],
  ];
  for (const [name, script] of rows) {
    const g = await gateway(t, [script, answer({ status: 202, headers: [] })], {
      options,
      always: { 'x-always': '1' },
    });
    for (let n = 0; n < 2; n++) {
      const got = await fetchRaw(g.url, '{"jsonrpc":"2.0","method":"notifications/initialized"}');
      t.match(got, { status: 202, body: Buffer.alloc(0) }, name);
      t.same([got.all('content-type'), got.all('content-length'), got.all('x-always')], [[], ['0'], ['1']], name);
      if (n === 0) t.same(got.all('mcp-session-id'), name === '200 and null' ? ['s'] : [], name);
      await sleep(20);
    }
    if (name === 'a stream' || name === 'a long answer') await g.upstream.requests[0]?.gone;
    else t.equal(g.upstream.connections, 1, `${name}: the connection is kept`);
    t.match(await g.ended(0), { outcome: 'ok' }, name);
  }
  const g = await gateway(t, answer({ status: 400, body: '{"error":1}' }), { options });
  t.match(await fetchRaw(g.url, '{}'), { status: 400, body: Buffer.from('{"error":1}') });
});

t.test('the edge sees the head before the client', async (t) => {
  const seen: unknown[] = [];
  const g = await gateway(t, answer({ headers: ['Mcp-Session-Id', 'abc'], body: '{}' }), {
    options: { onHead: (status, headers) => seen.push([status, headers['mcp-session-id']]) },
  });
  await fetchRaw(g.url, call);
  t.same(seen, [[200, 'abc']]);
});
