/** Changes that wait for a stream to take them. */
import type { Change } from './map-listen.js';

/** The most that waits for one session: changes, and their bytes. */
const most = { changes: 1_000, bytes: 256 * 1024 };

/**
 * Changes in the order in which they came last. A change says that something is no longer what it was, so of equal ones
 * only the latest waits; beyond the bounds the oldest goes.
 */
export class Pending {
  readonly #changes = new Map<string, Change>();
  #bytes = 0;

  /** Adds one; `key` is equal for equal ones. Answers how many had to go for it. */
  add(key: string, change: Change): number {
    this.#remove(key);
    this.#changes.set(key, change);
    this.#bytes += change.bytes.length;
    let gone = 0;
    for (const oldest of this.#changes.keys()) {
      if (this.#changes.size <= most.changes && this.#bytes <= most.bytes) break;
      this.#remove(oldest);
      gone++;
    }
    return gone;
  }

  /** The oldest, which waits no longer. */
  take(): Change | undefined {
    const [first] = this.#changes;
    if (first !== undefined) this.#remove(first[0]);
    return first?.[1];
  }

  #remove(key: string): void {
    this.#bytes -= this.#changes.get(key)?.bytes.length ?? 0;
    this.#changes.delete(key);
  }
}
