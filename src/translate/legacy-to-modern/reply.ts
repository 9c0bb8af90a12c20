/** The answer towards a legacy client: one JSON document or an event stream, decided as late as possible. */
import type { ServerResponse } from 'node:http';
import type { Exchange } from '../../edge/exchange.js';
import { errorBody, errorTable, refuse, RefusalError, type Refusal } from '../../errors.js';
import { acceptableOf, type Acceptable } from '../../http/accept.js';
import { encodeComment, encodeEvent } from '../../wire/sse-encode.js';

/** A quiet stream says so, or something between client and gateway takes it for dead. Milliseconds. */
export const quietFor = 15_000;

/** The head of every event stream. */
export const streamHead = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
} as const;

type State = 'undecided' | 'streaming' | 'over';

/** What one call may say to its client; part of a batch, and HTTP+SSE, answer through the same words. */
export type CallReply = Pick<Reply, 'readsEvents' | 'open' | 'event' | 'answer' | 'refuse' | 'leaveUnanswered'>;

/** The answer to one request. After its end, and once the client is gone, everything is silently nothing. */
export class Reply {
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

  /** Whether it has ended, or the client is gone. */
  get over(): boolean {
    return this.#state === 'over';
  }

  /** Whether the client can be told or asked anything ahead of the answer. */
  get readsEvents(): boolean {
    return this.#accepts.events;
  }

  /** Whether the client reads a document; if not, an event stream. */
  get readsJson(): boolean {
    return this.#accepts.json;
  }

  /** Whether the head of a stream is out. */
  get streaming(): boolean {
    return this.#state === 'streaming';
  }

  /** Opens the stream, head first, if the client can read one: messages may come, or silence for a while. */
  open(headers: Readonly<Record<string, string>> = {}): void {
    if (this.#state !== 'undecided' || !this.#accepts.events) return;
    this.#state = 'streaming';
    const { response, always } = this.#exchange;
    response.writeHead(200, { ...always, ...headers, ...streamHead });
    response.flushHeaders();
    this.#exchange.streams('call');
    this.#keepAlive = setInterval(() => keepAlive(response), this.#keepAliveMs).unref();
  }

  /**
   * Passes a message on ahead of the answer; a client that reads only JSON goes without. Waits for a slow client, until
   * `signal` aborts.
   */
  async event(message: Buffer, signal?: AbortSignal): Promise<void> {
    this.open();
    if (this.#state !== 'streaming') return;
    this.#keepAlive?.refresh();
    const { response } = this.#exchange;
    if (!response.write(encodeEvent({ data: message }))) await drained(response, signal);
  }

  /** Ends with the answer; `headers` only count while none went out. */
  answer(message: Buffer, headers: Readonly<Record<string, string>> = {}): void {
    if (!this.#accepts.json) this.open(headers);
    if (this.#state === 'streaming') this.#exchange.response.end(encodeEvent({ data: message }));
    else if (this.#state === 'undecided')
      this.#exchange.end(200, { ...headers, 'content-type': 'application/json' }, message);
    this.#finish();
  }

  /**
   * Ends with a refusal: as HTTP says it, or as an event if the stream is open, or if the refusal comes with 200 to a
   * client that reads only events.
   */
  refuse(refusal: Refusal): void {
    if (errorTable[refusal.cell].status === 200 && !this.#accepts.json) this.open();
    if (this.#state === 'streaming') {
      this.#exchange.settle('refused', refusal.cell);
      this.answer(errorBody({ ...refusal, id: refusal.id ?? this.#exchange.id }));
    } else if (this.#state === 'undecided') this.#exchange.refuse(refusal);
    this.#finish();
  }

  /** Ends without an answer, for a client that has cancelled and waits for none. */
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

/** Says on a quiet stream that it is alive; a client that does not even take what is there needs no more of it. */
export function keepAlive(response: ServerResponse): void {
  if (!response.writableNeedDrain) response.write(encodeComment());
}

/** Resolves when `response` takes more, or never will, or nobody cares any longer. */
export function drained(response: ServerResponse, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (response.destroyed || signal?.aborted) return resolve();
    const done = (): void => {
      response.off('drain', done).off('close', done);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
    signal?.addEventListener('abort', done);
  });
}
