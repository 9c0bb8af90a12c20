/** The body of an answer on its way to the client. */
import type { ServerResponse } from 'node:http';

/** Where the body comes from, as far as its pace can be set. */
export interface Source {
  pause(): void;
  resume(): void;
}

/** How long a client may take to read what came before its upstream broke off, in milliseconds. */
const lastWords = 1_000;

/**
 * Writes a body of which the head has been written but perhaps not sent. One with a length goes out with its first
 * bytes, in one packet. One without goes out at the end of this tick in any case, head alone if need be, since that
 * may be all there is for hours; what arrives within one tick, often several events in one packet, goes out as one.
 */
export class ClientBody {
  readonly #response: ServerResponse;
  readonly #source: Source;
  /** Bytes still to come; Infinity where nobody knows, 0 once it is over. */
  #left: number;
  #gathered: Buffer[] = [];
  #scheduled = false;
  #listening = false;

  /** `length` is the Content-Length, or Infinity. */
  constructor(response: ServerResponse, length: number, source: Source) {
    this.#response = response;
    this.#source = source;
    this.#left = length;
    if (length === 0) response.end();
    else if (length === Infinity) this.#schedule();
  }

  /** Whether nothing more is to come. */
  get over(): boolean {
    return this.#left === 0;
  }

  /** Passes a chunk on, and ends with the last one of a body of known length. */
  write(chunk: Buffer): void {
    this.#left -= chunk.length;
    if (this.#left === 0) {
      this.#response.end(chunk);
    } else if (this.#left === Infinity) {
      this.#gathered.push(chunk);
      this.#schedule();
    } else {
      this.#send(chunk);
    }
  }

  /** The source has ended. */
  end(): void {
    if (this.#left > 0) this.#response.end(this.#take());
    this.#left = 0;
  }

  /** The source broke off: the client gets what came before this tick, then a broken connection. */
  breakOff(): void {
    this.#left = 0;
    const { socket } = this.#response;
    if (socket === null) return void this.#response.destroy();
    socket.destroySoon();
    const timer = setTimeout(() => socket.destroy(), lastWords).unref();
    socket.once('close', () => clearTimeout(timer));
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    process.nextTick(flush, this);
  }

  /** Sends what was gathered in this tick, or the head alone. */
  flush(): void {
    this.#scheduled = false;
    if (this.#left === 0) return;
    const bytes = this.#take();
    if (bytes === undefined) this.#response.flushHeaders();
    else this.#send(bytes);
  }

  #take(): Buffer | undefined {
    const gathered = this.#gathered;
    if (gathered.length === 0) return undefined;
    this.#gathered = [];
    return gathered.length === 1 ? gathered[0] : Buffer.concat(gathered);
  }

  /** A client that does not keep up pauses the source; a body that is over must not touch the source any more. */
  #send(bytes: Buffer): void {
    if (this.#response.write(bytes)) return;
    this.#source.pause();
    if (this.#listening) return;
    this.#listening = true;
    this.#response.on('drain', () => {
      if (this.#left > 0) this.#source.resume();
    });
  }
}

function flush(body: ClientBody): void {
  body.flush();
}
