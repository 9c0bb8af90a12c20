/** A deadline for a whole exchange, its body included: what the pools' own timeouts do not bound. */
import { refuse, RefusalError, type Cell } from '../errors.js';

/** What a deadline is made of. */
export interface Deadline {
  /** Milliseconds from now. */
  readonly ms: number;
  /** The caller's own reason to stop. */
  readonly signal?: AbortSignal | undefined;
  /** What was not answered in time, for the error: `the probe`. */
  readonly asked: string;
  /** What a missed deadline is refused as. */
  readonly cell?: Cell;
}

/**
 * Runs `task` with a signal that aborts when the caller's does, or at the deadline. Rejects with the reason of the
 * caller's signal, with a RefusalError (`upstream-timeout` or `deadline.cell`), or with what the task rejects with.
 */
export async function within<T>(deadline: Deadline, task: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { ms, signal, asked, cell = 'upstream-timeout' } = deadline;
  signal?.throwIfAborted();
  const inner = new AbortController();
  const late = refuse(cell, { detail: `no answer to ${asked} within ${ms} ms` });
  const timer = setTimeout(() => inner.abort(new RefusalError(late)), ms);
  const leave = (): void => inner.abort(signal?.reason);
  signal?.addEventListener('abort', leave, { once: true });
  try {
    return await task(inner.signal);
  } catch (error) {
    // A body that was broken off tells so in words of its own.
    throw inner.signal.aborted ? inner.signal.reason : error;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', leave);
  }
}
