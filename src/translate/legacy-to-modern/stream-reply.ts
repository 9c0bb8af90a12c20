/** The answer towards a client of HTTP+SSE: its POST has its 202, and everything else goes to its stream. */
import type { Exchange } from '../../edge/exchange.js';
import { errorBody, type Refusal } from '../../errors.js';
import type { ClientStream } from '../types.js';
import type { CallReply } from './reply.js';

/** A reply on the one stream of a client (2024-11-05, basic/transports "HTTP with SSE"). */
export class StreamReply implements CallReply {
  readonly #exchange: Exchange;
  readonly #stream: ClientStream;
  #over = false;

  constructor(exchange: Exchange, stream: ClientStream) {
    this.#exchange = exchange;
    this.#stream = stream;
  }

  get over(): boolean {
    return this.#over;
  }

  get readsEvents(): boolean {
    return true;
  }

  /** The stream has been open since before the request. */
  open(): void {}

  async event(message: Buffer, signal?: AbortSignal): Promise<void> {
    if (this.#over) return;
    this.#stream.send(message);
    await this.#stream.drained(signal);
  }

  answer(message: Buffer): void {
    if (!this.#over) this.#stream.send(message);
    this.#over = true;
  }

  refuse(refusal: Refusal): void {
    this.#exchange.settle('refused', refusal.cell);
    this.answer(errorBody({ ...refusal, id: refusal.id ?? this.#exchange.id }));
  }

  leaveUnanswered(): void {
    this.#exchange.settle('client-gone');
    this.#over = true;
  }
}
