/** Waiting for something that a socket will bring, never longer than a deadline. */
import { once, EventEmitter } from 'node:events';

/** How long the runner waits for anything, in milliseconds. */
export const patience = 5_000;

/** Thrown when a deadline passes; the message says what did not come. */
export class MissingError extends Error {}

/** Something that changes, and can be waited on. */
export class Changing {
  readonly #emitter = new EventEmitter();

  /** Wakes whoever waits. */
  changed(): void {
    this.#emitter.emit('change');
  }

  /** Resolves as soon as `holds()`; throws MissingError with `what` when the runner's patience ends. */
  async until(holds: () => boolean, what: string): Promise<void> {
    const deadline = AbortSignal.timeout(patience);
    while (!holds()) {
      try {
        await once(this.#emitter, 'change', { signal: deadline });
      } catch (cause) {
        if (!holds()) throw new MissingError(`within ${patience} ms there was no ${what}`, { cause });
      }
    }
  }
}
