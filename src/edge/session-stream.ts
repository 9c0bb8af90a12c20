/** The one stream of a client of HTTP+SSE: what is owed on it, and the session that lives as long as it does. */
import type { TranslatedSession } from '../sessions/session.js';
import { drained, keepAlive, quietFor, streamHead } from '../translate/legacy-to-modern/reply.js';
import type { ClientStream } from '../translate/types.js';
import { encodeEvent } from '../wire/sse-encode.js';
import type { Exchange } from './exchange.js';
import type { Gateway } from './gateway.js';

/** Of a client that posts and does not read, in bytes. */
const mostUnread = 16 * 2 ** 20;

/** Node's timers cannot wait longer, in milliseconds. */
const longestTimer = 2 ** 31 - 1;

/** Where the stream stands among what is under way in its session; no id of a request reads so. */
const inflightKey = 'http+sse';

/** One stream. */
export class SessionStream implements ClientStream {
  readonly owner: string;
  readonly upstream: string;
  readonly #exchange: Exchange;
  readonly #gateway: Gateway;
  #session: TranslatedSession | undefined;
  #owed = 0;
  #ending = false;

  constructor(exchange: Exchange, owner: string, gateway: Gateway) {
    this.owner = owner;
    this.upstream = exchange.upstream.name;
    this.#exchange = exchange;
    this.#gateway = gateway;
  }

  /** What the handshake has opened. */
  get session(): TranslatedSession | undefined {
    return this.#session;
  }

  /** Opens it, and says where to post. A stream on which nobody initialises is as idle as a session that nobody uses. */
  begin(endpoint: string): void {
    const { response, always } = this.#exchange;
    response.writeHead(200, { ...always, ...streamHead });
    response.write(encodeEvent({ event: 'endpoint', data: endpoint }));
    this.#exchange.streams('get', () => this.owes());
    const beat = setInterval(() => keepAlive(response), quietFor).unref();
    const patience = Math.min(this.#gateway.config.limits.sessionIdle, longestTimer);
    const idle = setTimeout(() => this.#session ?? this.end(), patience).unref();
    response.once('close', () => {
      clearInterval(beat);
      clearTimeout(idle);
      if (this.#session !== undefined) this.#over(this.#session);
    });
  }

  opened(session: TranslatedSession): void {
    if (this.#ending || this.#exchange.over) return this.#over(session);
    this.#session = session;
    this.#exchange.revision = session.revision;
    session.inflight.set(inflightKey, { end: () => this.end() });
  }

  get ready(): boolean {
    const { response } = this.#exchange;
    return response.writable && !response.writableNeedDrain;
  }

  onReady(listener: () => void): void {
    this.#exchange.response.on('drain', listener);
  }

  onClose(listener: () => void): void {
    this.#exchange.response.once('close', listener);
  }

  send(message: Buffer): void {
    const { response } = this.#exchange;
    if (!response.writable) return;
    if (response.writableLength > mostUnread) response.destroy();
    else response.write(encodeEvent({ event: 'message', data: message }));
  }

  async drained(signal?: AbortSignal): Promise<void> {
    const { response } = this.#exchange;
    if (response.writable && response.writableNeedDrain) await drained(response, signal);
  }

  /** Whether answers are still to come on it. */
  owes(): boolean {
    return this.#owed > 0;
  }

  /** Owes an answer until `work` is done. */
  async until(work: Promise<void>): Promise<void> {
    this.#owed++;
    await work;
    this.#owed--;
    if (this.#ending) this.end();
  }

  /** The client has closed the stream, or shutdown has. */
  #over(session: TranslatedSession): void {
    void this.#gateway.sessions.end(session, this.#gateway.closing ? 'shutdown' : 'deleted');
  }

  /** Ends when nothing is owed any more. */
  end(): void {
    this.#ending = true;
    if (!this.owes()) this.#exchange.response.end();
  }
}
