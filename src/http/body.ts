/** Reading a whole request body, within bounds. */
import type { IncomingMessage } from 'node:http';
import { refuse, RefusalError } from '../errors.js';

/** The client left before its body was complete: there is nobody to answer. */
export class DepartedError extends Error {
  constructor() {
    super('the client left before its request was complete');
    this.name = 'DepartedError';
  }
}

/** Bounds on one body. */
export interface BodyBounds {
  /** Bytes. */
  readonly limit: number;
  /** Milliseconds from now to the last byte. */
  readonly timeout: number;
}

/**
 * Resolves with the whole body, byte for byte. Rejects with a RefusalError (`body-too-large`, as soon as
 * Content-Length or the bytes say so; `body-too-slow`), or with a DepartedError.
 */
export function readBody(request: IncomingMessage, { limit, timeout }: BodyBounds): Promise<Buffer> {
  // Nothing will ever be heard of a request that is gone already.
  if (request.destroyed) return Promise.reject(new DepartedError());
  if (Number(request.headers['content-length'] ?? 0) > limit) return Promise.reject(tooLarge(limit));
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const onData = (chunk: Buffer): void => {
      length += chunk.length;
      if (length > limit) fail(tooLarge(limit));
      else chunks.push(chunk);
    };
    const onEnd = (): void => {
      stop();
      resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, length));
    };
    const onGone = (): void => fail(new DepartedError());
    const timer = setTimeout(() => fail(new RefusalError(refuse('body-too-slow'))), timeout);

    /** What still arrives flows on and is dropped, so that the client gets to read our answer. */
    function stop(): void {
      clearTimeout(timer);
      request.off('data', onData).off('end', onEnd).off('close', onGone).off('error', onGone);
    }
    function fail(error: Error): void {
      stop();
      reject(error);
    }
    request.on('data', onData).on('end', onEnd).on('close', onGone).on('error', onGone);
  });
}

function tooLarge(limit: number): RefusalError {
  return new RefusalError(refuse('body-too-large', { detail: `${limit} bytes` }));
}
