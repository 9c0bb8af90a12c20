/** A real HTTP server that passes everything through to one upstream, and a client that sees raw answers. */
import { createServer, request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import type { Test } from 'tap';
import type { UpstreamConfig } from '../../../src/config/types.js';
import { Exchange } from '../../../src/edge/exchange.js';
import type { ExchangeFacts, Recorder } from '../../../src/metrics/record.js';
import { passThrough, type PassThroughOptions } from '../../../src/passthrough/index.js';
import { HttpUpstream } from '../../../src/upstreams/http.js';
import { scripted, type Script, type Scripted } from '../../upstreams/scripted.js';
import { upstreamConfig } from '../../upstreams/scripted-config.js';

/** What a test may set. `body: 'read'` reads the body first, as the edge does where it has to. */
export interface Setting {
  readonly options?: Partial<Omit<PassThroughOptions, 'body'>>;
  readonly body?: PassThroughOptions['body'] | 'read';
  readonly config?: Partial<UpstreamConfig>;
  readonly always?: Record<string, string>;
  readonly rewriteChallenge?: (value: string) => string;
  readonly readBody?: boolean;
  /** What the edge waits for before it passes a request on. */
  readonly before?: () => Promise<void>;
}

/** A gateway in front of a scripted upstream. */
export interface Gateway {
  readonly url: URL;
  readonly upstream: Scripted;
  /** What the exchanges that have ended told the metrics. */
  readonly facts: readonly ExchangeFacts[];
  /** The facts of the exchange that ends next, or has ended as number `index`. */
  ended(index: number): Promise<ExchangeFacts>;
}

/** Starts a gateway in front of an upstream that plays `script` (or of `url`), for the length of the test. */
export async function gateway(t: Test, script: Script | Script[] | URL, setting: Setting = {}): Promise<Gateway> {
  const server = await scripted(script instanceof URL ? () => undefined : script, {
    readBody: setting.readBody ?? true,
  });
  const upstream = new HttpUpstream(upstreamConfig(script instanceof URL ? script : server.url, setting.config));
  const facts: ExchangeFacts[] = [];
  const waiting: (() => void)[] = [];
  const recorder = {
    exchangeEnded(ended: ExchangeFacts) {
      facts.push(ended);
      for (const wake of waiting.splice(0)) wake();
    },
  } as Recorder;
  const edge = createServer((request, response) => {
    const always = setting.always ?? {};
    const rewriteChallenge = setting.rewriteChallenge ?? ((value: string): string => value);
    const log = pino({ level: 'silent' });
    const exchange = new Exchange({
      request,
      response,
      upstream,
      requestId: '1',
      recorder,
      log,
      always,
      rewriteChallenge,
    });
    const go = (body: PassThroughOptions['body']): void =>
      passThrough(exchange, { kind: 'call', bounds: { limit: Infinity, patience: 30_000 }, ...setting.options, body });
    const body = setting.body ?? 'stream';
    if (body === 'read') void read(request).then(go, () => undefined);
    else if (setting.before) void setting.before().then(() => go(body));
    else go(body);
  });
  await new Promise<void>((resolve) => edge.listen(0, '127.0.0.1', resolve));
  t.teardown(async () => {
    edge.close();
    edge.closeAllConnections();
    await upstream.close();
    await server.close();
  });
  return {
    url: new URL(`http://127.0.0.1:${(edge.address() as AddressInfo).port}/mcp`),
    upstream: server,
    facts,
    async ended(index) {
      while (facts[index] === undefined) await new Promise<void>((resolve) => waiting.push(resolve));
      return facts[index];
    },
  };
}

/** An answer as the client got it. */
export interface Got {
  readonly status: number;
  readonly rawHeaders: readonly string[];
  all(name: string): string[];
  readonly body: Buffer;
}

/** One POST (or what `options` say) and its whole answer. */
export async function fetchRaw(
  url: URL,
  body: Buffer | string | undefined,
  options: RequestOptions = {},
): Promise<Got> {
  const incoming = await open(url, body, options);
  return { ...headOf(incoming), body: await read(incoming) };
}

/** The same up to the head; the body is still to be read. */
export function open(url: URL, body?: Buffer | string, options: RequestOptions = {}): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, { method: 'POST', agent: false, ...options }, resolve);
    request.on('error', reject);
    request.end(body);
  });
}

/** Status and header lines of an answer. */
export function headOf({ statusCode, rawHeaders }: IncomingMessage): Omit<Got, 'body'> {
  return {
    status: statusCode ?? 0,
    rawHeaders,
    all: (name) =>
      rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === name.toLowerCase()),
  };
}

/** All bytes of a message. */
export async function read(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
