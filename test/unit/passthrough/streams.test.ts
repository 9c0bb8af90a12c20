import t from 'tap';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { answer, hang, hugeBody, rawClient, resetMidStream, silentStream, stream } from '../../upstreams/scripted.js';
import { fetchRaw, gateway, headOf, open, read } from './gateway.js';

const sse = { kind: 'stream' } as const;

for (const method of ['GET', 'POST']) {
  t.test(`the head of a silent stream is passed on at once (${method})`, async (t) => {
    const g = await gateway(t, silentStream(), { options: sse });
    const began = performance.now();
    const incoming = await open(g.url, method === 'POST' ? '{}' : undefined, { method });
    t.ok(performance.now() - began < 500, `${performance.now() - began} ms`);
    t.equal(incoming.headers['content-type'], 'text/event-stream');
    incoming.destroy();
    await g.upstream.requests[0]?.gone;
  });
}

t.test('a stream outlives the idle deadline of calls', async (t) => {
  const timeouts = { connect: 1000, firstByte: 300, idle: 300 };
  const g = await gateway(t, stream(['data: late\n\n'], { pause: 1700 }), { options: sse, config: { timeouts } });
  t.equal((await fetchRaw(g.url, '{}')).body.toString(), 'data: late\n\n');
});

t.test('each event passes as it comes', async (t) => {
  const events = [1, 2, 3, 4].map((n) => `event: message\nid: ${n}\ndata: {"n":${n}}\n\n`);
  const g = await gateway(t, stream(events, { pause: 80 }), { options: sse });
  const incoming = await open(g.url, '{}');
  const seen: string[] = [];
  const times: number[] = [];
  incoming.on('data', (data: Buffer) => {
    seen.push(data.toString());
    times.push(performance.now());
  });
  await once(incoming, 'end');
  t.same(seen, events);
  for (let n = 1; n < times.length; n++)
    t.ok((times[n] as number) - (times[n - 1] as number) > 30, 'none was held back');
});

t.test('event streams carry their labels, whatever the upstream sent', async (t) => {
  const rows: [string[], string[]][] = [
    [[], ['no-cache']],
    [['Cache-Control', 'no-cache, no-transform', 'X-Accel-Buffering', 'yes'], ['no-cache, no-transform']],
    [['cache-control', 'private', 'x-accel-buffering', 'no'], ['no-cache, private']],
  ];
  for (const [headers, cacheControl] of rows) {
    const g = await gateway(t, stream(['data: 1\n\n'], { headers }));
    const got = await fetchRaw(g.url, '{}');
    t.same(got.all('cache-control'), cacheControl);
    t.same(got.all('x-accel-buffering'), ['no']);
  }
  const caching = ['Cache-Control', 'private', 'Cache-Control', 'max-age=5', 'X-Accel-Buffering', 'yes'];
  const headers = ['Content-Type', 'application/json', ...caching];
  const g = await gateway(t, answer({ headers, body: '{}' }));
  const got = await fetchRaw(g.url, '{}');
  t.same([got.all('cache-control'), got.all('x-accel-buffering')], [['private', 'max-age=5'], ['yes']]);
});

t.test('a client that leaves cancels the upstream request', async (t) => {
  for (const [name, script, afterHead] of [
    ['before the head', hang(), false],
    ['after the head', silentStream(), true],
    ['after the first event', stream(['data: 1\n\n'], { open: true }), true],
  ] as const) {
    const g = await gateway(t, script);
    const socket = await rawClient(g.url);
    socket.write('POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}');
    const seen = await g.upstream.request(0);
    if (afterHead) await once(socket, 'data');
    const left = performance.now();
    socket.destroy();
    const took = (await seen.gone) - left;
    t.ok(took < 300, `${name}: ${took} ms`);
    t.match(await g.ended(0), { outcome: 'client-gone' });
  }
});

t.test('a client that leaves before anything was sent leaves no trace upstream', async (t) => {
  const before = () => sleep(100);
  const g = await gateway(t, hang(), { before });
  const socket = await rawClient(g.url);
  socket.write('POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}');
  await sleep(30);
  socket.destroy();
  t.match(await g.ended(0), { outcome: 'client-gone', upstreamMs: undefined });
  await sleep(150);
  t.equal(g.upstream.connections, 0);
});

t.test('a client that leaves in the middle of its upload cancels it', async (t) => {
  const g = await gateway(t, hang(), { readBody: false });
  const socket = await rawClient(g.url);
  socket.write('POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Length: 500000\r\n\r\n');
  socket.write(Buffer.alloc(100_000));
  const { incoming, gone } = await g.upstream.request(0);
  incoming.on('error', () => undefined).resume();
  socket.destroy();
  await gone;
  t.match(await g.ended(0), { outcome: 'client-gone' });
});

for (const chunked of [false, true]) {
  t.test(
    `back-pressure reaches the upstream, and nothing is lost (${chunked ? 'chunked' : 'with length'})`,
    async (t) => {
      const bytes = 100_000_000;
      const g = await gateway(t, [hugeBody(bytes, { chunked }), answer({ body: '{"next":1}' })]);
      const incoming = await open(g.url, '{}');
      const before = process.memoryUsage.rss();
      await sleep(500);
      const grown = process.memoryUsage.rss() - before;
      t.ok(grown < 60_000_000, `${grown} bytes of memory for a client that does not read`);
      let got = 0;
      for await (const data of incoming) got += (data as Buffer).length;
      t.equal(got, bytes);
      t.equal(
        (await fetchRaw(g.url, '{}')).body.toString(),
        '{"next":1}',
        'the connection is fit for the next request',
      );
      t.equal(g.upstream.connections, 1);
    },
  );
}

t.test('a client that leaves while its upstream is paused leaves no paused connection behind', async (t) => {
  const g = await gateway(t, [hugeBody(100_000_000), answer({ body: '{"next":1}' })]);
  const incoming = await open(g.url, '{}');
  await sleep(200);
  incoming.destroy();
  await g.upstream.requests[0]?.gone;
  t.equal((await fetchRaw(g.url, '{}')).body.toString(), '{"next":1}');
});

t.test('an upstream that breaks off is a break for the client too, after what it had sent', async (t) => {
  const g = await gateway(t, resetMidStream(['data: {"progress":1}\n\n']));
  const incoming = await open(g.url, '{}');
  let text = '';
  incoming.on('data', (data: Buffer) => (text += data.toString()));
  const [error] = (await once(incoming, 'error')) as [NodeJS.ErrnoException];
  t.equal(text, 'data: {"progress":1}\n\n');
  t.equal(error.code, 'ECONNRESET');
  t.notOk(incoming.complete);
  t.match(await g.ended(0), { outcome: 'upstream-error', cell: 'upstream-reset' });
});

t.test('a call that falls silent ends after idle', async (t) => {
  const timeouts = { connect: 1000, firstByte: 1000, idle: 300 };
  const g = await gateway(t, silentStream(), { config: { timeouts } });
  const incoming = await open(g.url, '{}');
  await t.rejects(read(incoming));
  t.match(await g.ended(0), { outcome: 'upstream-error', cell: 'upstream-timeout' });
});

t.test('many silent streams leave calls alone', async (t) => {
  const g = await gateway(t, (request, socket) =>
    request.method === 'GET' ? silentStream()(request, socket) : answer({ body: '{}' })(request, socket),
  );
  const streams = await Promise.all(Array.from({ length: 200 }, () => open(g.url, undefined, { method: 'GET' })));
  t.equal((await fetchRaw(g.url, '{}')).status, 200);
  t.equal(headOf(streams[199] as never).status, 200);
  for (const one of streams) one.destroy();
});
