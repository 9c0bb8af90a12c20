/** The legacy sessions of one gateway: opened, found by their owner only, ended for a reason. */
import { randomBytes } from 'node:crypto';
import type { Limits } from '../config/types.js';
import { refuse, RefusalError } from '../errors.js';
import type { Recorder, SessionEnd } from '../metrics/record.js';
import type { ForwardedSession, Session, TranslatedSession } from './session.js';
import type { SessionStore } from './store.js';

/** Whose session, and where. */
export interface Claim {
  readonly owner: string;
  readonly upstream: string;
}

/** What a session is opened with, besides what the service adds. */
export type Opening = Claim & Pick<TranslatedSession, 'revision' | 'clientInfo' | 'clientCapabilities' | 'listChanges'>;

/** What bounds sessions. */
type Bounds = Pick<Limits, 'sessions' | 'sessionIdle' | 'sessionAge'>;

/** How often idle and old sessions are looked for, in milliseconds. */
const sweepEvery = 10_000;

/** The sessions of one gateway. */
export class Sessions {
  readonly #store: SessionStore;
  readonly #limits: Bounds;
  readonly #recorder: Pick<Recorder, 'sessionOpened' | 'sessionEnded'>;
  readonly #sweeper: NodeJS.Timeout;
  /** Sessions that have a place and are not in the store yet. */
  #opening = 0;

  constructor(setup: {
    store: SessionStore;
    limits: Bounds;
    recorder: Pick<Recorder, 'sessionOpened' | 'sessionEnded'>;
  }) {
    this.#store = setup.store;
    this.#limits = setup.limits;
    this.#recorder = setup.recorder;
    const every = Math.min(sweepEvery, this.#limits.sessionIdle, this.#limits.sessionAge);
    this.#sweeper = setInterval(() => void this.sweep(), every).unref();
  }

  /** Opens a session of our own, with an id that cannot be guessed. Throws a RefusalError (`sessions-full`). */
  async open(opening: Opening): Promise<TranslatedSession> {
    const id = randomBytes(24).toString('base64url');
    const session: TranslatedSession = {
      kind: 'translated',
      id,
      ...opening,
      ...this.#fresh(),
      logLevel: undefined,
      ending: new AbortController(),
      asked: new Map(),
    };
    this.#checkRoom(await this.#store.size());
    this.#opening++; // at once: many may have waited for the same size
    await this.#add(session).finally(() => this.#opening--);
    return session;
  }

  /** Takes note of a session that the upstream opened under `id`. */
  async adopt(id: string, claim: Claim): Promise<void> {
    const session: ForwardedSession = { kind: 'forwarded', id, ...claim, ...this.#fresh(), revision: undefined };
    await this.#add(session);
  }

  /** Throws a RefusalError (`sessions-full`) where no further session may be opened. */
  async ensureRoom(): Promise<void> {
    this.#checkRoom(await this.#store.size());
  }

  /**
   * The live session `id`, for its owner and at its upstream; undefined for everyone else, as if it did not exist.
   * Finding it is using it.
   */
  async find(id: string, { owner, upstream }: Claim): Promise<Session | undefined> {
    const session = await this.#store.get(keyOf({ id, upstream }));
    if (session?.owner !== owner) return undefined;
    session.lastUsedAt = performance.now();
    await this.keep(session);
    return session;
  }

  /** Keeps what has changed in a session, unless it has ended. */
  async keep(session: Session): Promise<void> {
    await this.#store.update(keyOf(session), session);
  }

  /** Ends a session and what is under way in it; nothing where it has ended already. */
  async end(which: Pick<Session, 'id' | 'upstream'>, reason: SessionEnd): Promise<void> {
    const session = await this.#store.take(keyOf(which));
    if (session === undefined) return;
    if (session.kind === 'translated') session.ending.abort();
    for (const call of [...session.inflight.values()]) call.end('session-ended');
    this.#recorder.sessionEnded(session.upstream, session.kind, reason);
  }

  /** Ends the sessions that are older than `limits.sessionAge`, and those that nobody has used for `limits.sessionIdle`. */
  async sweep(): Promise<void> {
    const now = performance.now();
    for await (const session of this.#store.all()) {
      if (now - session.createdAt > this.#limits.sessionAge) await this.end(session, 'aged');
      else if (session.inflight.size === 0 && now - session.lastUsedAt > this.#limits.sessionIdle)
        await this.end(session, 'idle');
    }
  }

  /** Ends all sessions. */
  async close(): Promise<void> {
    clearInterval(this.#sweeper);
    for await (const session of this.#store.all()) await this.end(session, 'shutdown');
  }

  async #add(session: Session): Promise<void> {
    // An upstream that hands out an id twice has ended the session that had it first.
    await this.end(session, 'upstream-lost');
    await this.#store.put(keyOf(session), session);
    this.#recorder.sessionOpened(session.upstream, session.kind);
  }

  #checkRoom(size: number): void {
    if (size + this.#opening >= this.#limits.sessions) throw new RefusalError(refuse('sessions-full'));
  }

  #fresh(): Pick<Session, 'createdAt' | 'lastUsedAt' | 'inflight'> {
    const now = performance.now();
    return { createdAt: now, lastUsedAt: now, inflight: new Map() };
  }
}

/** Two upstreams may hand out the same id. */
function keyOf({ upstream, id }: Pick<Session, 'id' | 'upstream'>): string {
  return `${upstream} ${id}`;
}
