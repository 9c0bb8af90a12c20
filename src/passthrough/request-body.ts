/** A client's body that nobody had to read, on its way up. */
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';

/** What a request goes up with. */
export type RequestBody = Buffer | BodyStream | null;

/** Whether `request` has no body at all (RFC 9112 §6.3). */
export function hasNoBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] === undefined && headers['transfer-encoding'] === undefined;
}

/** The client stopped in the middle of its body. */
export class BodyStalledError extends Error {
  constructor() {
    super('the client stopped in the middle of its body');
    this.name = 'BodyStalledError';
  }
}

/** The body turned out to be larger than is allowed. */
export class BodyTooLargeError extends Error {
  constructor() {
    super('the body is too large');
    this.name = 'BodyTooLargeError';
  }
}

/** Bounds on a body that streams in. */
export interface StreamBounds {
  /** Bytes. */
  readonly limit: number;
  /** How long it may stand still while it could be read, in milliseconds. */
  readonly patience: number;
}

/**
 * The body of a request as a stream of its own, with back-pressure. undici destroys the stream it was given when an
 * upstream fails; destroying the request itself would take along the client's connection, and with it the answer.
 */
export class BodyStream extends Readable {
  /** The first bytes, to find the request's id in should an error have to carry it. */
  first: Buffer | undefined;
  readonly #source: IncomingMessage;
  readonly #patience: number;
  /** Bytes that may still come. */
  #allowance: number;
  #timer: NodeJS.Timeout | undefined;

  /** Fails with a BodyStalledError or a BodyTooLargeError. */
  constructor(source: IncomingMessage, { limit, patience }: StreamBounds) {
    super({ highWaterMark: 64 * 1024 });
    this.#source = source;
    this.#patience = patience;
    this.#allowance = limit;
    source.on('data', this.#take).on('end', this.#end).on('error', this.#fail);
    this.read(0); // the first bytes are wanted even where no connection comes about
  }

  override _read(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.destroy(new BodyStalledError()), this.#patience);
    this.#source.resume();
  }

  /** What is left of the body is read and thrown away, so that the connection can carry the answer and more. */
  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    clearTimeout(this.#timer);
    this.#source.off('data', this.#take).off('end', this.#end).resume();
    callback(error);
  }

  readonly #take = (chunk: Buffer): void => {
    this.first ??= chunk;
    clearTimeout(this.#timer);
    this.#allowance -= chunk.length;
    if (this.#allowance < 0) this.destroy(new BodyTooLargeError());
    else if (!this.push(chunk)) this.#source.pause();
  };

  readonly #end = (): void => {
    clearTimeout(this.#timer);
    this.push(null);
  };

  readonly #fail = (error: Error): void => void this.destroy(error);
}
