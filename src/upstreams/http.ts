/** The connections to one HTTP upstream. */
import { Pool, type Dispatcher } from 'undici';
import type { UpstreamConfig } from '../config/types.js';
import { refuse, RefusalError } from '../errors.js';
import { OwnHeaders } from './credentials.js';
import { cellOfUpstreamError } from './failures.js';
import type { UpstreamRequest, UpstreamResponse } from './types.js';

export { cellOfUpstreamError, type UpstreamFailure } from './failures.js';
export type { RequestKind, UpstreamRequest, UpstreamResponse } from './types.js';

/** Deadlines of one request that differ from the configured ones, in milliseconds; 0 is none. */
interface Deadlines {
  readonly firstByte?: number | undefined;
  readonly idle?: number | undefined;
}

/**
 * One HTTP upstream: a pool for calls and a pool for streams, so that a thousand idle streams never stand in the way
 * of a call, neither with a bound on connections. Redirects are not followed and nothing is ever sent twice: a POST
 * that was written may have been executed.
 */
export class HttpUpstream {
  readonly config: UpstreamConfig;
  /** Whether the configuration gives this upstream a credential in place of the client's. */
  readonly hasOwnAuthorization: boolean;

  readonly #own: OwnHeaders;
  readonly #calls: Pool;
  readonly #streams: Pool;
  readonly #path: string;

  /** `config` comes from the configuration; no connection is made before the first request. */
  constructor(config: UpstreamConfig) {
    this.config = config;
    this.#own = new OwnHeaders(config.headers);
    this.hasOwnAuthorization = this.#own.has('authorization');
    this.#path = config.url.pathname + config.url.search;
    this.#calls = this.#pool();
    this.#streams = this.#pool();
  }

  /** Its name in the configuration. */
  get name(): string {
    return this.config.name;
  }

  /** How many requests of kind `stream` are open. */
  get openStreams(): number {
    return this.#streams.stats.running;
  }

  /**
   * Sends `request` and reports to `handler` (undici's raw handler); errors come to `onResponseError`, which may
   * happen before this returns. The configured headers win over those of the request.
   */
  dispatch(request: UpstreamRequest, handler: Dispatcher.DispatchHandler): void {
    this.#poolOf(request).dispatch(this.#options(request, {}), handler);
  }

  /**
   * Sends `request` and resolves at the head of the answer, whatever its status. Rejects with a RefusalError
   * (`upstream-unreachable`, `upstream-timeout`, `upstream-reset`; without an id), or with the signal's reason as soon
   * as it aborts. After the head, an abort destroys the body.
   */
  async request(
    request: UpstreamRequest,
    options: Deadlines & { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<UpstreamResponse> {
    const { signal } = options;
    signal?.throwIfAborted();
    const sent = this.#poolOf(request).request({ ...this.#options(request, options), signal: signal ?? null });
    try {
      const { statusCode, headers, body } = await unlessAborted(sent, signal);
      // A body that is destroyed early must not bring the process down; who reads it sees the error all the same.
      body.on('error', () => undefined);
      return { status: statusCode, headers, body };
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      throw new RefusalError(refuse(cellOfUpstreamError(error)), { cause: error });
    }
  }

  /** Breaks off what is still open and closes all connections. */
  async close(): Promise<void> {
    await Promise.all([this.#calls.destroy(), this.#streams.destroy()]);
  }

  #pool(): Pool {
    return new Pool(this.config.url.origin, {
      connections: null,
      pipelining: 1,
      allowH2: false,
      maxHeaderSize: 64 * 1024,
      connect: { timeout: this.config.timeouts.connect },
    });
  }

  #poolOf(request: UpstreamRequest): Pool {
    return request.kind === 'stream' ? this.#streams : this.#calls;
  }

  #options(request: UpstreamRequest, deadlines: Deadlines): Dispatcher.DispatchOptions {
    const { timeouts } = this.config;
    return {
      path: this.#pathWith(request.search),
      method: request.method,
      headers: this.#own.over(request.headers),
      body: request.body,
      headersTimeout: deadlines.firstByte ?? timeouts.firstByte,
      bodyTimeout: deadlines.idle ?? (request.kind === 'stream' ? 0 : timeouts.idle),
    };
  }

  #pathWith(search: string | undefined): string {
    if (!search || search === '?') return this.#path;
    return this.config.url.search === '' ? this.#path + search : `${this.#path}&${search.slice(1)}`;
  }
}

/** `promise`, or a rejection as soon as `signal` aborts: undici notices an abort only once it has a connection. */
async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  let leave = (): void => undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    leave = () => reject(signal.reason as Error);
    signal.addEventListener('abort', leave, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', leave);
  }
}
