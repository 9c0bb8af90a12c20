/**
 * Upstreams that misbehave on purpose, over real sockets. A request is read properly; the answer is whatever bytes
 * the script writes to the socket.
 *
 *   const upstream = await scripted(answer({ status: 200, body: '{}' }));   // every request gets this
 *   const upstream = await scripted([resetBeforeHead(), answer({})]);       // the first, the second and later ones
 *   const upstream = await scripted((request, socket) => { … });            // or by hand
 *   upstream.url; upstream.requests[0].body; await upstream.requests[0].gone; await upstream.close();
 */
import { createServer, type IncomingMessage } from 'node:http';
import { connect, createServer as createNetServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** One request as it arrived. */
export interface Seen {
  readonly method: string;
  readonly target: string;
  /** Names and values as on the wire, in order: `[name, value, …]`. */
  readonly rawHeaders: readonly string[];
  /** All values of one header, case-insensitively. */
  all(name: string): string[];
  readonly body: Buffer;
  /** The request itself: with `readBody: false` its body is still to be read. */
  readonly incoming: IncomingMessage;
  /** When it was complete, as `performance.now()`. */
  readonly at: number;
  /** Resolves with the time at which the connection it came on was closed, by whomever. */
  readonly gone: Promise<number>;
}

/** Writes an answer to the socket, as it likes. */
export type Script = (request: Seen, socket: Socket) => void | Promise<void>;

/** A running scripted upstream. */
export interface Scripted {
  readonly url: URL;
  /** Every request so far. */
  readonly requests: readonly Seen[];
  /** How many connections were accepted. */
  readonly connections: number;
  /** The request with this index, as soon as it has arrived. */
  request(index: number): Promise<Seen>;
  close(): Promise<void>;
}

/** Starts an upstream on loopback; with a list, the last script serves all later requests too. */
export async function scripted(
  script: Script | readonly Script[],
  options: { readBody?: boolean; path?: string } = {},
): Promise<Scripted> {
  const scripts = typeof script === 'function' ? [script] : script;
  const requests: Seen[] = [];
  const waiting: (() => void)[] = [];
  let connections = 0;
  let arrived = 0;
  const server = createServer({ keepAliveTimeout: 0 });
  server.on('connection', () => connections++);
  server.on('request', (incoming: IncomingMessage) => {
    const play = scripts[Math.min(arrived++, scripts.length - 1)] as Script;
    void see(incoming, options.readBody ?? true).then(async (seen) => {
      requests.push(seen);
      for (const wake of waiting.splice(0)) wake();
      await play(seen, incoming.socket);
    }, ignore);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: new URL(`http://127.0.0.1:${port}${options.path ?? '/mcp'}`),
    requests,
    get connections() {
      return connections;
    },
    async request(index) {
      while (requests[index] === undefined) await new Promise<void>((resolve) => waiting.push(resolve));
      return requests[index];
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function see(incoming: IncomingMessage, readBody: boolean): Promise<Seen> {
  const { socket, rawHeaders } = incoming;
  // One connection carries many requests, and each waits for its end.
  socket.setMaxListeners(0).on('error', ignore);
  const gone = new Promise<number>((resolve) => socket.once('close', () => resolve(performance.now())));
  const chunks: Buffer[] = [];
  if (readBody) for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return {
    method: incoming.method ?? '',
    target: incoming.url ?? '',
    rawHeaders,
    all: (name) =>
      rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === name.toLowerCase()),
    body: Buffer.concat(chunks),
    incoming,
    at: performance.now(),
    gone,
  };
}

function ignore(): void {
  // A client that leaves is part of most stories here.
}

/** An answer: `headers` is a flat list, so that names may repeat and be of any case. */
export interface Answer {
  readonly status?: number;
  readonly headers?: readonly string[];
  readonly body?: Buffer | string;
}

/** The bytes of an answer's head; Content-Length is the caller's business. */
export function head(status: number, headers: readonly string[]): Buffer {
  let text = `HTTP/1.1 ${status} Scripted\r\n`;
  for (let at = 0; at < headers.length; at += 2) text += `${headers[at]}: ${headers[at + 1]}\r\n`;
  return Buffer.from(`${text}\r\n`, 'latin1');
}

/** One chunk of a chunked body; the empty one ends it. */
export function chunk(data: Buffer | string): Buffer {
  const bytes = Buffer.from(data as string);
  return Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);
}

const eventStream = ['Content-Type', 'text/event-stream', 'Transfer-Encoding', 'chunked'] as const;

/** A well-formed answer with Content-Length, in one packet. */
export function answer({ status = 200, headers = ['Content-Type', 'application/json'], body = '' }: Answer): Script {
  const bytes = Buffer.from(body as string);
  const whole = Buffer.concat([head(status, [...headers, 'Content-Length', String(bytes.length)]), bytes]);
  return (_request, socket) => void socket.write(whole);
}

/** 200 and an HTML page, as a captive portal or a wrong route gives. */
export function html(status = 200): Script {
  return answer({ status, headers: ['Content-Type', 'text/html'], body: '<!doctype html><title>hello</title>' });
}

/** A redirect. */
export function redirect(status: number, location: string): Script {
  return answer({ status, headers: ['Location', location] });
}

/** Takes the request and never answers. */
export function hang(): Script {
  return ignore;
}

/** Resets the connection (RST) before the head of an answer. */
export function resetBeforeHead(): Script {
  return (_request, socket) => void socket.resetAndDestroy();
}

/** Sends FIN in place of an answer, and leaves its own reading side open. */
export function halfClose(): Script {
  return (_request, socket) => void socket.end();
}

/** An event stream of `events` (each a whole block, blank line included), then RST. */
export function resetMidStream(events: readonly string[]): Script {
  return async (_request, socket) => {
    socket.write(head(200, eventStream));
    for (const event of events) socket.write(chunk(event));
    await sleep(50);
    socket.resetAndDestroy();
  };
}

/** Promises `declared` bytes, sends `body`, then FIN. */
export function lyingLength(declared: number, body: string): Script {
  return (_request, socket) =>
    void socket.end(
      Buffer.concat([
        head(200, ['Content-Type', 'application/json', 'Content-Length', String(declared)]),
        Buffer.from(body),
      ]),
    );
}

/** An answer with Content-Length whose body comes in parts, `pause` ms apart. */
export function slowBody(parts: readonly string[], pause: number): Script {
  return async (_request, socket) => {
    const length = Buffer.byteLength(parts.join(''));
    socket.write(head(200, ['Content-Type', 'application/json', 'Content-Length', String(length)]));
    for (const part of parts) {
      await sleep(pause);
      socket.write(part);
    }
  };
}

/** An event stream: its head at once, the events `pause` ms apart, then its end, unless `open`. */
export function stream(
  events: readonly string[],
  { pause = 0, open = false, headers = [] }: { pause?: number; open?: boolean; headers?: readonly string[] } = {},
): Script {
  return async (_request, socket) => {
    socket.write(head(200, [...eventStream, ...headers]));
    for (const event of events) {
      if (pause > 0) await sleep(pause);
      socket.write(chunk(event));
    }
    if (!open) socket.write(chunk(''));
  };
}

/** The head of an event stream, then silence. */
export function silentStream(): Script {
  return stream([], { open: true });
}

/** A body of `bytes` bytes, written as fast as the reader takes them; `chunked` is an event stream of that size. */
export function hugeBody(bytes: number, { chunked = false } = {}): Script {
  return async (_request, socket) => {
    const plain = ['Content-Type', 'application/octet-stream', 'Content-Length', String(bytes)];
    socket.write(head(200, chunked ? eventStream : plain));
    const block = Buffer.alloc(64 * 1024, 'x');
    for (let left = bytes; left > 0 && !socket.destroyed; left -= block.length) {
      const part = block.subarray(0, left);
      if (!socket.write(chunked ? chunk(part) : part)) await drained(socket);
    }
    if (chunked) socket.write(chunk(''));
  };
}

function drained(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      socket.off('drain', done).off('close', done);
      resolve();
    };
    socket.on('drain', done).on('close', done);
  });
}

/** A URL on loopback where nobody listens. */
export async function refusing(): Promise<URL> {
  const server = createNetServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return new URL(`http://127.0.0.1:${port}/mcp`);
}

/** A connection to `url` as a client that is no library: for broken requests and abrupt departures. */
export async function rawClient(url: URL): Promise<Socket> {
  const socket = connect(Number(url.port), url.hostname);
  socket.on('error', ignore);
  await new Promise<void>((resolve) => socket.once('connect', resolve));
  return socket;
}
