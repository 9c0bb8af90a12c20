/** What every event stream towards a client has (WHATWG HTML §9.2): its head, signs of life, and patience with slow readers. */
import type { ServerResponse } from 'node:http';

/** A quiet stream says so, or something between client and gateway takes it for dead. Milliseconds. */
export const quietFor = 15_000;

/** The head of an event stream towards a client. */
export const streamHead = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
} as const;

/** As bytes that mean nothing to the reader (§9.2.6). */
const emptyComment = ': \n\n';

/** A client that does not even take what is there needs no more of it. */
export function keepAlive(response: ServerResponse): void {
  if (!response.writableNeedDrain) response.write(emptyComment);
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
