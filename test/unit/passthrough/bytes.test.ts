import t from 'tap';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { answer, chunk, hang, head, rawClient, type Script } from '../../upstreams/scripted.js';
import { fetchRaw, gateway, open, read } from './gateway.js';

// What a parser would lose: integers beyond 2^53, 1.0, -0, twins, odd escapes, spaces, and bytes that are no UTF-8.
const odd = Buffer.concat([
  Buffer.from(
    '\ufeff {"jsonrpc" : "2.0","id":9007199254740993,"method":"x","params":{"a":1.0,"b":-0,"a":1e400,"\\u0061":0}',
  ),
  Buffer.from([0xff, 0xfe, 0x00]),
  Buffer.from(' }\r\n'),
]);

for (const body of ['stream', 'read'] as const) {
  t.test(`bytes are the same both ways (${body})`, async (t) => {
    const g = await gateway(t, answer({ headers: ['Content-Type', 'application/json'], body: odd }), { body });
    const got = await fetchRaw(g.url, odd);
    t.same(got.body, odd);
    t.same(g.upstream.requests[0]?.body, odd);
    t.same(g.upstream.requests[0]?.all('content-length'), [String(odd.length)]);
    t.match(await g.ended(0), { outcome: 'ok', upstream: 'scripted', cell: undefined });
    t.type(g.facts[0]?.upstreamMs, 'number');
  });
}

t.test('large bodies arrive whole, announced and chunked', async (t) => {
  const g = await gateway(t, answer({ body: '{}' }));
  const large = randomBytes(3_000_000);
  await fetchRaw(g.url, large, { headers: { 'content-length': large.length } });
  await fetchRaw(g.url, large, { headers: { 'transfer-encoding': 'chunked' } });
  await fetchRaw(g.url, 'small', { headers: { 'transfer-encoding': 'chunked' } });
  t.ok(g.upstream.requests[0]?.body.equals(large));
  t.same(g.upstream.requests[0]?.all('content-length'), [String(large.length)]);
  t.ok(g.upstream.requests[1]?.body.equals(large));
  t.same(g.upstream.requests[1]?.all('transfer-encoding'), ['chunked']);
  t.equal(g.upstream.requests[2]?.body.toString(), 'small');
});

t.test('a small body that comes in pieces arrives whole', async (t) => {
  const g = await gateway(t, answer({ body: '{}' }));
  const socket = await rawClient(g.url);
  socket.write('POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\nConnection: close\r\n\r\nab');
  await sleep(30);
  socket.write('cdef');
  await sleep(30);
  socket.write('ghi');
  t.equal((await g.upstream.request(0)).body.toString(), 'abcdefghi');
  socket.destroy();
});

t.test('GET and DELETE go up without a body', async (t) => {
  const g = await gateway(t, answer({}), { body: 'none' });
  for (const method of ['GET', 'DELETE']) {
    const got = await fetchRaw(g.url, undefined, { method, headers: { 'mcp-session-id': 's', 'last-event-id': 'e' } });
    t.equal(got.status, 200);
  }
  t.same(
    g.upstream.requests.map((r) => [r.method, ...r.all('mcp-session-id'), ...r.all('last-event-id'), r.body.length]),
    [
      ['GET', 's', 'e', 0],
      ['DELETE', 's', 'e', 0],
    ],
  );
});

t.test('the query goes along', async (t) => {
  const g = await gateway(t, answer({}));
  await fetchRaw(new URL('?a=1&b=%2f', g.url), '{}');
  t.equal(g.upstream.requests[0]?.target, '/mcp?a=1&b=%2f');
});

for (const [coding, bytes] of [
  ['gzip', gzipSync(odd)],
  ['br', brotliCompressSync(odd)],
  ['gzip', Buffer.from('not gzip at all')],
] as const) {
  t.test(`a ${coding} body of ${bytes.length} bytes is left alone`, async (t) => {
    const headers = ['Content-Type', 'application/json', 'Content-Encoding', coding];
    const g = await gateway(t, answer({ headers, body: bytes }));
    const got = await fetchRaw(g.url, '{}', { headers: { 'accept-encoding': 'gzip, br, zstd' } });
    t.same(got.body, bytes);
    t.same(got.all('content-encoding'), [coding]);
    t.same(got.all('content-length'), [String(bytes.length)]);
    t.same(g.upstream.requests[0]?.all('accept-encoding'), ['gzip, br, zstd']);
  });
}

t.test('statuses and empty answers pass', async (t) => {
  for (const status of [200, 201, 202, 400, 404, 405, 429, 500, 503]) {
    const g = await gateway(t, answer({ status }));
    const got = await fetchRaw(g.url, '{}');
    t.match(got, { status, body: Buffer.alloc(0) });
  }
  for (const status of [204, 304]) {
    const g = await gateway(t, (_request, socket) => void socket.write(head(status, ['ETag', '"1"'])));
    t.match(await fetchRaw(g.url, '{}'), { status, body: Buffer.alloc(0) });
  }
});

t.test('an answer that ends with its connection passes', async (t) => {
  const g = await gateway(t, (_request, socket) => {
    socket.end(Buffer.concat([head(200, ['Content-Type', 'application/json', 'Connection', 'close']), odd]));
  });
  for (let n = 0; n < 2; n++) t.same((await fetchRaw(g.url, '{}')).body, odd);
});

t.test('an informational answer before the real one is not taken for it', async (t) => {
  const g = await gateway(t, (request, socket) => {
    socket.write(head(103, ['Link', '</x>']));
    return answer({ body: '{"late":true}' })(request, socket);
  });
  t.equal((await fetchRaw(g.url, '{}')).body.toString(), '{"late":true}');
});

/** A whole event stream in one packet. */
function whole(events: string[]): Script {
  const fields = ['Content-Type', 'text/event-stream', 'Transfer-Encoding', 'chunked'];
  return (_request, socket) => void socket.write(Buffer.concat([head(200, fields), ...[...events, ''].map(chunk)]));
}

t.test('a small answer is one packet', async (t) => {
  for (const script of [answer({ body: '{"result":{}}' }), whole(['data: 1\n\n'])]) {
    const g = await gateway(t, script);
    const socket = await rawClient(g.url);
    const packets: Buffer[] = [];
    socket.on('data', (packet: Buffer) => packets.push(packet));
    socket.write('POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}');
    await g.ended(0);
    await sleep(50);
    t.equal(packets.length, 1);
    t.match(packets[0]?.toString(), /^HTTP\/1\.1 200 [\s\S]*\r\n\r\n[\s\S]*(result|data: 1)/);
    socket.destroy();
  }
});

t.test('an upload is a stream: its first part is there before its last is sent', async (t) => {
  const g = await gateway(t, hang(), { readBody: false });
  const upload = httpRequest(g.url, { method: 'POST', headers: { 'content-length': 200_000 }, agent: false });
  upload.on('error', () => undefined);
  upload.write(Buffer.alloc(100_000, 'a'));
  const { incoming } = await g.upstream.request(0);
  let arrived = 0;
  incoming.on('data', (data: Buffer) => (arrived += data.length));
  while (arrived < 100_000) await once(incoming, 'data');
  upload.end(Buffer.alloc(100_000, 'b'));
  await once(incoming, 'end');
  t.equal(arrived, 200_000);
  upload.destroy();
});

t.test('an answer to an upload that nobody reads reaches the client', async (t) => {
  const g = await gateway(t, answer({ status: 413, body: '{"too":"large"}' }), { readBody: false });
  const upload = httpRequest(g.url, { method: 'POST', headers: { 'content-length': 50_000_000 } });
  upload.on('error', () => undefined);
  const block = Buffer.alloc(1_000_000);
  const feed = (): void => {
    while (!upload.destroyed && upload.write(block));
  };
  upload.on('drain', feed);
  feed();
  const got = await new Promise<IncomingMessage>((resolve) => upload.on('response', resolve));
  t.equal(got.statusCode, 413);
  t.equal((await read(got)).toString(), '{"too":"large"}');
  upload.destroy();
});

t.test('back-pressure reaches a client that uploads faster than the upstream reads', async (t) => {
  const g = await gateway(t, () => undefined, { readBody: false });
  const socket = await rawClient(g.url);
  socket.write('POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Length: 200000000\r\n\r\n');
  const block = Buffer.alloc(1_000_000);
  const feed = (): void => {
    while (socket.bytesWritten < 200_000_000 && socket.write(block));
  };
  socket.on('drain', feed);
  feed();
  await sleep(700);
  const sent = socket.bytesWritten - socket.writableLength;
  await sleep(300);
  t.equal(socket.bytesWritten - socket.writableLength, sent, 'it stands still');
  t.ok(sent < 60_000_000, `${sent} bytes were taken`);
  socket.destroy();
});

t.test('chunks of a stream without length pass as they come', async (t) => {
  const g = await gateway(t, async (_request, socket) => {
    socket.write(head(200, ['Content-Type', 'application/json', 'Transfer-Encoding', 'chunked']));
    await sleep(150);
    socket.write(Buffer.concat([chunk('{"a":'), chunk('1}'), chunk('')]));
  });
  const began = performance.now();
  const incoming = await open(g.url, '{}');
  t.ok(performance.now() - began < 140, 'the head was there first');
  t.equal((await read(incoming)).toString(), '{"a":1}');
});
