import t, { type Test } from 'tap';
import { createServer, request as httpRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { renderRefusal, RefusalError } from '../../../src/errors.js';
import { DepartedError, readBody, type BodyBounds } from '../../../src/http/body.js';
import { rawClient } from '../../upstreams/scripted.js';

/** What came of a body at the server: its bytes, or the error; and whether anyone still listens. */
interface Outcome {
  readonly body?: Buffer;
  readonly error?: unknown;
  readonly listeners: number;
}

interface Rig {
  readonly url: URL;
  readonly next: () => Promise<Outcome>;
}

const names = ['data', 'end', 'close', 'error'] as const;

/** A server that reads bodies within `bounds` and answers as the gateway does; `before` runs first. */
async function rig(
  t: Test,
  bounds: Partial<BodyBounds>,
  before: (request: IncomingMessage) => Promise<void> | undefined = () => undefined,
): Promise<Rig> {
  const outcomes: Outcome[] = [];
  const waiting: (() => void)[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      await before(request);
      const usual = names.map((name) => request.listenerCount(name));
      const outcome: { -readonly [K in keyof Outcome]: Outcome[K] } = { listeners: 0 };
      try {
        outcome.body = await readBody(request, { limit: 1_000_000, timeout: 5_000, ...bounds });
        response.end('ok');
      } catch (error) {
        outcome.error = error;
        if (error instanceof RefusalError) {
          const { status, headers, body } = renderRefusal(error.refusal);
          response.writeHead(status, headers).end(body);
        }
      }
      names.forEach((name, at) => (outcome.listeners += request.listenerCount(name) - (usual[at] ?? 0)));
      outcomes.push(outcome);
      for (const wake of waiting.splice(0)) wake();
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.close();
    server.closeAllConnections();
  });
  let taken = 0;
  return {
    url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`),
    async next() {
      const at = taken++;
      while (outcomes[at] === undefined) await new Promise<void>((resolve) => waiting.push(resolve));
      return outcomes[at];
    },
  };
}

/** Sends `body`, with Content-Length unless `chunked`, and gives the answer. */
function post(url: URL, body: Buffer, chunked = false): Promise<{ status: number; body: string; close: boolean }> {
  return new Promise((resolve, reject) => {
    const headers: Record<string, string> = chunked
      ? { 'transfer-encoding': 'chunked' }
      : { 'content-length': String(body.length) };
    const request = httpRequest(url, { method: 'POST', agent: false, headers }, (response) => {
      let text = '';
      response.on('data', (chunk) => (text += String(chunk)));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, body: text, close: response.headers.connection === 'close' }),
      );
    });
    request.on('error', reject);
    request.end(body);
  });
}

t.test('a body arrives byte for byte', async (t) => {
  const { url, next } = await rig(t, {});
  for (const body of [Buffer.alloc(0), Buffer.from([0xef, 0xbb, 0xbf, 0xff, 0]), Buffer.alloc(1_000_000, 'é')]) {
    for (const chunked of [false, true]) {
      await post(url, body, chunked);
      const outcome = await next();
      t.ok(outcome.body?.equals(body), `${body.length} bytes, ${chunked ? 'chunked' : 'by length'}`);
      t.equal(outcome.listeners, 0);
    }
  }
});

t.test('a body over the limit is 413 with a JSON-RPC error, which the client gets to read', async (t) => {
  const { url, next } = await rig(t, { limit: 1_000 });
  for (const size of [1_001, 5_000_000]) {
    for (const chunked of [false, true]) {
      const answer = await post(url, Buffer.alloc(size, 'x'), chunked);
      t.equal(answer.status, 413);
      t.ok(answer.close, 'what is left of the body is not the next request');
      t.match(JSON.parse(answer.body), { jsonrpc: '2.0', error: { code: -32600, message: /1000 bytes/ } });
      t.equal((await next()).listeners, 0);
    }
  }
  t.equal((await post(url, Buffer.alloc(1_000))).status, 200, 'at the limit');
});

t.test('a Content-Length over the limit is refused before the first byte', async (t) => {
  const { url, next } = await rig(t, { limit: 1_000 });
  const socket = await rawClient(url);
  socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1001\r\n\r\n');
  const [answer] = (await socket.take(1).toArray()) as Buffer[];
  t.match(String(answer), /^HTTP\/1\.1 413 /);
  t.match((await next()).error, { refusal: { cell: 'body-too-large' } });
});

t.test('a body that drips is 408', async (t) => {
  const { url, next } = await rig(t, { timeout: 150 });
  const socket = await rawClient(url);
  socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n');
  const dripping = setInterval(() => socket.write('x'), 20);
  t.teardown(() => clearInterval(dripping));
  const [answer] = (await socket.take(1).toArray()) as Buffer[];
  t.match(String(answer), /^HTTP\/1\.1 408 /);
  const outcome = await next();
  t.match(outcome.error, { refusal: { cell: 'body-too-slow' } });
  t.equal(outcome.listeners, 0);
});

t.test('a client that leaves is nobody to answer', async (t) => {
  for (const leave of ['destroy', 'resetAndDestroy', 'end'] as const) {
    const { url, next } = await rig(t, {});
    const socket = await rawClient(url);
    socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\nhalf');
    await sleep(30);
    socket[leave]();
    const outcome = await next();
    t.ok(outcome.error instanceof DepartedError, leave);
    t.equal(outcome.listeners, 0);
  }
});

t.test('a client that has left before anyone listens is noticed at once', async (t) => {
  const { url, next } = await rig(t, {}, (request) => new Promise((resolve) => request.once('close', resolve)));
  const socket = await rawClient(url);
  socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\nhalf');
  await sleep(30);
  const started = performance.now();
  socket.resetAndDestroy();
  t.ok((await next()).error instanceof DepartedError);
  t.ok(performance.now() - started < 2_000, 'long before the time for the body is over');
});

t.test('a client that leaves after its body was refused does no harm', async (t) => {
  const { url, next } = await rig(t, { limit: 10 });
  const socket = await rawClient(url);
  socket.write('POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n20\r\n');
  socket.write('x'.repeat(32));
  t.match((await next()).error, { refusal: { cell: 'body-too-large' } });
  socket.resetAndDestroy();
  await sleep(50);
  t.equal((await post(url, Buffer.alloc(5))).status, 200);
});
