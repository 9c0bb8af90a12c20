/** The real gateway in front of a scripted modern upstream, and a legacy client that sees raw answers. */
import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import type { Test } from 'tap';
import { configFromFlags } from '../../../../src/config/load.js';
import type { Limits, UpstreamConfig } from '../../../../src/config/types.js';
import { startGateway } from '../../../../src/main.js';
import { answer, scripted, type Script, type Seen } from '../../../upstreams/scripted.js';
import { fetchRaw, open, type Got } from '../../passthrough/gateway.js';

/** What a test may set. */
export interface Setting {
  readonly limits?: Partial<Limits>;
  readonly timeouts?: Partial<UpstreamConfig['timeouts']>;
  readonly headers?: ReadonlyMap<string, string>;
  /** The DiscoverResult of the upstream. */
  readonly discover?: string;
  /** How long it takes to say so, in milliseconds. */
  readonly discoverAfter?: number;
  readonly era?: 'auto' | 'modern';
}

type Headers = Readonly<Record<string, string>>;

/** One line of the gateway's log, as far as a test looks at it. */
export interface LogLine {
  readonly msg: string;
  readonly method?: string;
  readonly outcome?: string;
  readonly cell?: string;
  readonly status?: number;
  readonly tool?: string;
  readonly reason?: string;
}

/** A gateway in front of a scripted upstream. */
export interface Rig {
  readonly url: URL;
  /** The requests that reached the upstream, but for `server/discover`. */
  readonly calls: readonly Seen[];
  /** The call with this index, as soon as it has arrived. */
  call(index: number): Promise<Seen>;
  /** How many connections the upstream has accepted. */
  readonly connections: () => number;
  /** How often the upstream was asked what it is. */
  readonly discovered: () => number;
  /** Opens a session and answers its id; `capabilities` are those of the client, as JSON. */
  session(revision?: string, headers?: Headers, capabilities?: string): Promise<string>;
  /** POSTs `body` in a session and reads the whole answer. */
  post(session: string | undefined, body: string, headers?: Headers): Promise<Got>;
  /** The same up to the head. */
  open(session: string, body: string, headers?: Headers): Promise<IncomingMessage>;
  /** A request with another method, without a body. */
  bare(method: string, session: string): Promise<Got>;
  /** All lines of its log so far. */
  readonly lines: readonly LogLine[];
  /** The line about the exchange whose JSON-RPC method is `method`, as soon as it is written. */
  logged(method: string): Promise<LogLine>;
}

export const both = 'application/json, text/event-stream';

const defaultDiscovery =
  '{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":60000,' +
  '"cacheScope":"public","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"scripted","version":"1"}}}';

/** `initialize` of a client of this revision. */
export const initialize = (revision = '2025-11-25', capabilities = '{"roots":{}}'): string =>
  `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"${revision}","capabilities":${capabilities},"clientInfo":{"name":"desk","version":"1.4"}}}`;

/** Starts the rig for the length of the test; calls of the upstream are answered by `script`, in turn. */
export async function legacyOnModern(t: Test, script: Script | readonly Script[], setting: Setting = {}): Promise<Rig> {
  const scripts = typeof script === 'function' ? [script] : script;
  const calls: Seen[] = [];
  let discovered = 0;
  const upstream = await scripted(async (seen, socket) => {
    const { id, method } = JSON.parse(seen.body.toString()) as { id: unknown; method: string };
    if (method === 'server/discover') {
      discovered++;
      await sleep(setting.discoverAfter ?? 0);
      const result = setting.discover ?? defaultDiscovery;
      return answer({ body: `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}` })(seen, socket);
    }
    const play = scripts[Math.min(calls.push(seen), scripts.length) - 1] as Script;
    return play(seen, socket);
  });
  const lines: LogLine[] = [];
  const log = pino(
    { level: 'info' },
    new Writable({
      write: (line: Buffer, _encoding, done) => {
        lines.push(JSON.parse(line.toString()) as LogLine);
        done();
      },
    }),
  );
  const gateway = await startGateway(configFor(upstream.url, setting), log);
  const url = new URL('/mcp', gateway.addresses.gateway);
  t.teardown(async () => {
    await gateway.close();
    await upstream.close();
  });
  const options = (session: string | undefined, headers: Headers = {}) => ({
    headers: {
      'content-type': 'application/json',
      accept: both,
      ...(session === undefined ? {} : { 'mcp-session-id': session }),
      ...headers,
    },
  });
  return {
    url,
    calls,
    call: (index) => eventually(() => calls[index]),
    connections: () => upstream.connections,
    discovered: () => discovered,
    async session(revision, headers, capabilities) {
      const got = await fetchRaw(url, initialize(revision, capabilities), options(undefined, headers));
      const id = got.all('mcp-session-id')[0];
      if (id === undefined) throw new Error(`no session: ${got.status} ${got.body.toString()}`);
      return id;
    },
    post: (session, body, headers) => fetchRaw(url, body, options(session, headers)),
    open: (session, body, headers) => open(url, body, options(session, headers)),
    bare: (method, session) => fetchRaw(url, undefined, { method, headers: { 'mcp-session-id': session } }),
    lines,
    logged: (method) => eventually(() => lines.find((line) => line.msg === 'request' && line.method === method)),
  };
}

function configFor(url: URL, { limits, timeouts, headers, era }: Setting) {
  const config = configFromFlags({ listen: '127.0.0.1:0', upstreams: [url.href] });
  const [[name, one]] = [...config.upstreams] as [[string, UpstreamConfig]];
  const upstream: UpstreamConfig = {
    ...one,
    era: era ?? 'modern',
    timeouts: { ...one.timeouts, ...timeouts },
    headers: headers ?? one.headers,
  };
  return {
    ...config,
    admin: undefined,
    shutdownGrace: 0,
    limits: { ...config.limits, ...limits },
    upstreams: new Map([[name, upstream]]),
  };
}

/** What `look` finds, within 5 seconds. */
export async function eventually<T>(look: () => T | undefined | false): Promise<T> {
  const deadline = performance.now() + 5_000;
  for (;;) {
    const found = look();
    if (found !== undefined && found !== false) return found;
    if (performance.now() > deadline) throw new Error(`it did not come: ${look.toString()}`);
    await sleep(5);
  }
}
