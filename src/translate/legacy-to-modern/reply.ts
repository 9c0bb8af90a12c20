/** The answer towards a legacy client: one JSON document or an event stream, decided as late as possible. */
import type { Exchange } from '../../edge/exchange.js';
import { errorBody, errorTable, refuse, RefusalError, type Refusal } from '../../errors.js';
import { acceptableOf, type Acceptable } from '../../http/accept.js';
import { drained, keepAlive, quietFor, streamHead } from '../../http/event-stream.js';
import { encodeEvent } from '../../wire/sse-encode.js';

type State = 'undecided' | 'streaming' | 'over';

/** The answer to one request. After its end, and once the client is gone, everything is silently nothing. */
export interface Reply {
  /** Whether it has ended, or the client is gone. */
  readonly over: boolean;
  /** Messages may come, or silence for a while. */
  open(headers?: Readonly<Record<string, string>>): void;
  /** Passes a message on ahead of the answer. Waits for a slow client, until `signal` aborts. */
  event(message: Buffer, signal?: AbortSignal): Promise<void>;
  /** Ends with the answer; `headers` only count while none went out. */
  answer(message: Buffer, headers?: Readonly<Record<string, string>>): void;
  /** Ends with a refusal. */
  refuse(refusal: Refusal): void;
  /** Ends without an answer, for a client that has cancelled and waits for none. */
  leaveUnanswered(): void;
}

/** A reply as the HTTP response to the request (2025-03-26 and later, basic/transports "Streamable HTTP"). */
export class HttpReply implements Reply {
  readonly #exchange: Exchange;
  readonly #accepts: Acceptable;
  readonly #keepAliveMs: number;
  #state: State = 'undecided';
  #keepAlive: NodeJS.Timeout | undefined;

  /** Throws a RefusalError (`not-acceptable`) for a client that can read neither form of an answer. */
  constructor(exchange: Exchange, keepAliveMs = quietFor) {
    this.#exchange = exchange;
    this.#accepts = acceptableOf(exchange.request.headers.accept);
    this.#keepAliveMs = keepAliveMs;
    if (!this.#accepts.json && !this.#accepts.events) throw new RefusalError(refuse('not-acceptable'));
    if (exchange.over) this.#state = 'over';
    else exchange.response.once('close', () => this.#finish());
  }

  get over(): boolean {
    return this.#state === 'over';
  }

  /** Opens the stream, head first, if the client can read one. */
  open(headers: Readonly<Record<string, string>> = {}): void {
    if (this.#state !== 'undecided' || !this.#accepts.events) return;
    this.#state = 'streaming';
    const { response, always } = this.#exchange;
    response.writeHead(200, { ...always, ...headers, ...streamHead });
    response.flushHeaders();
    this.#exchange.streams('call');
    this.#keepAlive = setInterval(() => keepAlive(response), this.#keepAliveMs).unref();
  }

  /** A client that reads only JSON goes without. */
  async event(message: Buffer, signal?: AbortSignal): Promise<void> {
    this.open();
    if (this.#state !== 'streaming') return;
    this.#keepAlive?.refresh();
    const { response } = this.#exchange;
    if (!response.write(encodeEvent({ data: message }))) await drained(response, signal);
  }

  answer(message: Buffer, headers: Readonly<Record<string, string>> = {}): void {
    if (!this.#accepts.json) this.open(headers);
    if (this.#state === 'streaming') this.#exchange.response.end(encodeEvent({ data: message }));
    else if (this.#state === 'undecided')
      this.#exchange.end(200, { ...headers, 'content-type': 'application/json' }, message);
    this.#finish();
  }

  /** As HTTP says it, or as an event if the stream is open, or if it comes with 200 to a client that reads only events. */
  refuse(refusal: Refusal): void {
    if (errorTable[refusal.cell].status === 200 && !this.#accepts.json) this.open();
    if (this.#state === 'streaming') {
      this.#exchange.settle('refused', refusal.cell);
      this.answer(errorBody({ ...refusal, id: refusal.id ?? this.#exchange.id }));
    } else if (this.#state === 'undecided') this.#exchange.refuse(refusal);
    this.#finish();
  }

  leaveUnanswered(): void {
    this.#exchange.settle('client-gone');
    this.open();
    if (this.#state === 'streaming') this.#exchange.response.end();
    else if (this.#state === 'undecided') this.#exchange.end(202, {});
    this.#finish();
  }

  #finish(): void {
    this.#state = 'over';
    clearInterval(this.#keepAlive);
  }
}
