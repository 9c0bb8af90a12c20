import { Readable } from 'node:stream';
import type { Session } from './session.js';

/**
 * Where sessions are kept. Asynchronous from the first day, so that a shared store can take the place of memory;
 * what is under way in a session stays with the process that runs it.
 */
export interface SessionStore {
  put(key: string, session: Session): Promise<void>;
  get(key: string): Promise<Session | undefined>;
  /** Puts a session that is still there; one that was taken meanwhile does not come back. */
  update(key: string, session: Session): Promise<void>;
  /** Resolves with what was there. */
  take(key: string): Promise<Session | undefined>;
  size(): Promise<number>;
  /** All sessions, in no particular order. */
  all(): AsyncIterable<Session>;
}

/** Sessions in the memory of this process. */
export class MemoryStore implements SessionStore {
  readonly #sessions = new Map<string, Session>();

  put(key: string, session: Session): Promise<void> {
    this.#sessions.set(key, session);
    return Promise.resolve();
  }

  get(key: string): Promise<Session | undefined> {
    return Promise.resolve(this.#sessions.get(key));
  }

  update(key: string, session: Session): Promise<void> {
    return this.#sessions.has(key) ? this.put(key, session) : Promise.resolve();
  }

  take(key: string): Promise<Session | undefined> {
    const session = this.#sessions.get(key);
    this.#sessions.delete(key);
    return Promise.resolve(session);
  }

  size(): Promise<number> {
    return Promise.resolve(this.#sessions.size);
  }

  all(): AsyncIterable<Session> {
    return Readable.from(this.#sessions.values());
  }
}
