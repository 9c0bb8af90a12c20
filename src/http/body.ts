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
 * Resolves with the whole body. Rejects with a RefusalError (`body-too-large`, as soon as Content-Length or the
 * bytes say so; `body-too-slow`), or with a DepartedError.
 */
export function readBody(request: IncomingMessage, bounds: BodyBounds): Promise<Buffer> {
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > bounds.limit) return Promise.reject(tooLarge(bounds.limit));
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const timer = setTimeout(() => finish(() => reject(new RefusalError(refuse('body-too-slow')))), bounds.timeout);

    const onData = (chunk: Buffer): void => {
      length += chunk.length;
      if (length > bounds.limit) finish(() => reject(tooLarge(bounds.limit)));
      else chunks.push(chunk);
    };
    const onEnd = (): void =>
      finish(() => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
    const onClose = (): void => finish(() => reject(new DepartedError()));

    function finish(settle: () => void): void {
      clearTimeout(timer);
      request.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose);
      settle();
    }
    request.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose);
  });
}

function tooLarge(limit: number): RefusalError {
  return new RefusalError(refuse('body-too-large', { detail: `${limit} bytes` }));
}
