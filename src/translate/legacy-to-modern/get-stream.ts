/** The stream that a legacy client opens by GET, for what comes unasked (2025-11-25, basic/transports "Listening for Messages"). */
import type { Exchange } from '../../edge/exchange.js';
import { encodeEvent } from '../../wire/sse-encode.js';
import type { UnaskedStream } from '../types.js';
import { keepAlive, quietFor, streamHead } from './reply.js';

/** One such stream. */
export class GetStream implements UnaskedStream {
  readonly #exchange: Exchange;
  readonly #keepAlive: NodeJS.Timeout;

  /** Opens it: the head goes out at once, and a comment whenever it has been quiet for `keepAliveMs`. */
  constructor(exchange: Exchange, keepAliveMs = quietFor) {
    this.#exchange = exchange;
    const { response, always } = exchange;
    response.writeHead(200, { ...always, ...streamHead });
    response.flushHeaders();
    exchange.streams('get');
    this.#keepAlive = setInterval(() => keepAlive(response), keepAliveMs).unref();
    response.once('close', () => clearInterval(this.#keepAlive));
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
    this.#keepAlive.refresh();
    this.#exchange.response.write(encodeEvent({ data: message }));
  }

  end(): void {
    this.#exchange.response.end();
  }
}
