/** The answer towards a legacy client: one JSON document or an event stream, decided as late as possible. */
import { once } from 'node:events';
import type { Exchange } from '../../edge/exchange.js';
import { errorBody, refuse, type Refusal } from '../../errors.js';
import { acceptableOf } from '../../http/accept.js';
import { encodeComment, encodeEvent } from '../../wire/sse-encode.js';

/** A quiet stream says so, or something between client and gateway takes it for dead. Milliseconds. */
const quietFor = 15_000;

const streamHead = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
} as const;

type State = 'undecided' | 'streaming' | 'over';

/** The answer to one request. After its end, and once the client is gone, everything is silently nothing. */
export class Reply {
  readonly #exchange: Exchange;
  readonly #accepts: { json: boolean; events: boolean };
  #state: State = 'undecided';
  #keepAlive: NodeJS.Timeout | undefined;

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
    this.#accepts = acceptableOf(exchange.request.headers.accept);
    exchange.response.once('close', () => this.#finish());
  }

  /** The refusal of a client that can read neither form of an answer. */
  get unacceptable(): Refusal | undefined {
    return this.#accepts.json || this.#accepts.events ? undefined : refuse('not-acceptable');
  }

  /** Opens the stream, head first, if the client can read one: messages may come, or silence for a while. */
  open(): void {
    if (this.#state !== 'undecided' || !this.#accepts.events) return;
    this.#state = 'streaming';
    const { response, always } = this.#exchange;
    response.writeHead(200, { ...always, ...streamHead });
    response.flushHeaders();
    this.#exchange.streams('call');
    this.#keepAlive = setInterval(() => response.write(encodeComment()), quietFor).unref();
  }

  /** Passes a message on ahead of the answer; a client that reads only JSON goes without. Waits for a slow client. */
  async event(message: Buffer): Promise<void> {
    this.open();
    if (this.#state !== 'streaming') return;
    await this.#write(encodeEvent({ data: message }));
    this.#keepAlive?.refresh();
  }

  /** Ends with the answer; `headers` only count while none went out. */
  answer(message: Buffer, headers: Readonly<Record<string, string>> = {}): void {
    if (this.#state === 'over') return;
    const { response, always } = this.#exchange;
    if (this.#state === 'undecided' && this.#accepts.json) {
      this.#exchange.end(200, { ...headers, 'content-type': 'application/json' }, message);
    } else {
      if (this.#state === 'undecided') response.writeHead(200, { ...always, ...headers, ...streamHead });
      response.end(encodeEvent({ data: message }));
    }
    this.#finish();
  }

  /** Ends with a refusal: as HTTP says it, or on the stream if that is open. */
  refuse(refusal: Refusal): void {
    if (this.#state === 'over') return;
    this.#exchange.settle('refused', refusal.cell);
    if (this.#state === 'streaming') this.answer(errorBody({ ...refusal, id: refusal.id ?? this.#exchange.id }));
    else this.#exchange.refuse(refusal);
    this.#finish();
  }

  /** Ends without an answer: the client has cancelled, and waits for none. */
  leaveUnanswered(): void {
    if (this.#state === 'over') return;
    this.open();
    if (this.#state === 'streaming') this.#exchange.response.end();
    else this.#exchange.end(202, {});
    this.#finish();
  }

  async #write(bytes: Buffer): Promise<void> {
    const { response } = this.#exchange;
    if (response.write(bytes) || response.closed) return;
    const done = new AbortController();
    const { signal } = done;
    await Promise.race([once(response, 'drain', { signal }), once(response, 'close', { signal })]).finally(() =>
      done.abort(),
    );
  }

  #finish(): void {
    this.#state = 'over';
    clearInterval(this.#keepAlive);
  }
}
