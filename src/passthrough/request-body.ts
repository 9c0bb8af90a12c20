/** A client's body that nobody had to read, on its way up. */
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';

/** What a request goes up with. */
export type RequestBody = Buffer | BodyStream | null;

/** A body of up to this many bytes is sent in one piece: it nearly always came in one. */
const onePiece = 64 * 1024;

/** Whether the body of `request` is announced, and small enough to be sent in one piece. */
export function isSmall(request: IncomingMessage): boolean {
  return Number(request.headers['content-length'] ?? Infinity) <= onePiece;
}

/** Whether `request` has no body at all (RFC 9112 §6.3). */
export function hasNoBody(request: IncomingMessage): boolean {
  const { headers } = request;
  return headers['content-length'] === undefined && headers['transfer-encoding'] === undefined;
}

/** Calls `done` with the whole body; never, where the client leaves before its end. */
export function gather(request: IncomingMessage, done: (body: Buffer) => void): void {
  let first: Buffer | undefined;
  let rest: Buffer[] | undefined;
  request.on('data', (chunk: Buffer) => {
    if (first === undefined) first = chunk;
    else (rest ??= []).push(chunk);
  });
  request.on('end', () => {
    const whole = first ?? Buffer.alloc(0);
    done(rest === undefined ? whole : Buffer.concat([whole, ...rest]));
  });
}

/**
 * The body of a request as a stream of its own, with back-pressure. undici destroys the stream it was given when an
 * upstream fails; destroying the request itself would take along the client's connection, and with it the answer.
 */
export class BodyStream extends Readable {
  /** The first bytes, to find the request's id in should an error have to carry it. */
  first: Buffer | undefined;
  readonly #source: IncomingMessage;

  constructor(source: IncomingMessage) {
    super({ highWaterMark: onePiece });
    this.#source = source;
    source.on('data', this.#take).on('end', this.#end).on('error', this.#fail);
  }

  override _read(): void {
    this.#source.resume();
  }

  /** What is left of the body is read and thrown away, so that the connection can carry the answer and more. */
  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#source.off('data', this.#take).off('end', this.#end).resume();
    callback(error);
  }

  readonly #take = (chunk: Buffer): void => {
    this.first ??= chunk;
    if (!this.push(chunk)) this.#source.pause();
  };

  readonly #end = (): void => void this.push(null);

  readonly #fail = (error: Error): void => void this.destroy(error);
}
