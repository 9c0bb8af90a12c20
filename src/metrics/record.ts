/** What the rest of the gateway tells the metrics; names, labels and buckets stand in names.ts. */
import type { Cell } from '../errors.js';
import type { Era } from '../wire/meta-keys.js';

/** How an exchange ended. */
export type Outcome = 'ok' | 'refused' | 'client-gone' | 'upstream-error' | 'failed';

/** Why a session ended. */
export type SessionEnd = 'deleted' | 'idle' | 'aged' | 'upstream-lost' | 'shutdown';

/** What kind of stream is open towards a client: a call that streams, a GET stream, a `subscriptions/listen`. */
export type StreamKind = 'call' | 'get' | 'listen';

/** What is known of one exchange when it ends. Times are milliseconds. */
export interface ExchangeFacts {
  readonly upstream: string;
  readonly clientEra: Era | 'unknown';
  readonly upstreamEra: Era | 'both' | 'unknown';
  readonly revision: string | undefined;
  readonly method: string | undefined;
  readonly outcome: Outcome;
  readonly cell: Cell | undefined;
  readonly totalMs: number;
  readonly upstreamMs: number | undefined;
}

/** The one place where the gateway's numbers are written. */
export interface Recorder {
  /** Once per exchange, when it has ended. Counts the request, its durations and, with a cell, the refusal. */
  exchangeEnded(facts: ExchangeFacts): void;
  sessionOpened(upstream: string, kind: 'translated' | 'forwarded'): void;
  sessionEnded(upstream: string, kind: 'translated' | 'forwarded', reason: SessionEnd): void;
  /** A stream towards a client opened; the function returned is called once when it closes. */
  streamOpened(upstream: string, kind: StreamKind): () => void;
  verdict(upstream: string, speaks: Era | 'both'): void;
  /** A probe ended: `modern`, `legacy`, `both`, or the cell of why there is no verdict. */
  probed(upstream: string, result: Era | 'both' | Cell): void;
  /** A client named itself; names and versions are cleaned and the number of series is bounded. */
  clientSeen(name: string, version: string, era: Era): void;
}
