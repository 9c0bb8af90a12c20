/** A legacy session: what the handshake agreed on, and what is under way in it. */
import type { ErrorResponse, Response } from '../wire/jsonrpc.js';

/** What an upstream keeps itself, and we know only to check its owner. */
interface Common {
  readonly id: string;
  readonly owner: string;
  /** The upstream's name: an id is good there and nowhere else. */
  readonly upstream: string;
  readonly createdAt: number;
  lastUsedAt: number;
  /** Calls and streams under way; a session at work is never idle. */
  readonly inflight: Map<string, Call>;
}

/** A call of a client that is under way. */
export interface Call {
  /** Ends it without an answer (2025-11-25, basic/utilities/cancellation) or, at the end of its session, with one. */
  end(why: 'cancelled' | 'session-ended'): void;
}

/** A session on a legacy upstream: its id is the upstream's own. */
export interface ForwardedSession extends Common {
  readonly kind: 'forwarded';
  /** Not known: the answer to initialize was not read. */
  readonly revision: undefined;
}

/** A session that the gateway keeps for a legacy client of a modern upstream. */
export interface TranslatedSession extends Common {
  readonly kind: 'translated';
  /** The legacy revision that was negotiated. */
  readonly revision: string;
  /** Raw JSON, as declared by `initialize`. */
  readonly clientInfo: string;
  /** Raw JSON, as declared by `initialize`. */
  readonly clientCapabilities: string;
  /** Raw JSON of the level that `logging/setLevel` asked for. */
  logLevel: string | undefined;
  /** The changes of lists that the upstream advertised, as members of a filter of `subscriptions/listen`. */
  readonly listChanges: readonly string[];
  /** Aborted when the session has ended. */
  readonly ending: AbortController;
  /** Requests that were sent to the client and wait for its answer, by `idKey` of their ids. */
  readonly asked: Map<string, (answer: Response | ErrorResponse) => void>;
}

/** A legacy session. */
export type Session = ForwardedSession | TranslatedSession;
