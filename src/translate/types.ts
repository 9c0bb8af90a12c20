/** What a translator is, and what it may use. */
import type { Logger } from 'pino';
import type { Limits } from '../config/types.js';
import type { Exchange } from '../edge/exchange.js';
import type { Session, TranslatedSession } from '../sessions/session.js';
import type { Sessions } from '../sessions/sessions.js';
import type { Batch, Message, Request } from '../wire/jsonrpc.js';
import type { ToolMemory } from './tool-memory.js';

/** What translation may use of the gateway, for one exchange. */
export interface TranslationContext {
  /** To whom sessions that this exchange opens belong. */
  readonly owner: string;
  readonly limits: Limits;
  readonly sessions: Sessions;
  readonly log: Logger;
  /** Where everything for the client goes, instead of the answers to its own requests. */
  readonly stream?: ClientStream;
  readonly tools: ToolMemory;
  /** The raw DiscoverResult of the upstream. Rejects with a RefusalError. */
  discover(): Promise<Buffer>;
  /** The upstream answered as no server of the believed era does. */
  contradict(): void;
}

/** A stream for what comes unasked. */
export interface UnaskedStream {
  /** Whether it takes a message without having to keep it for a slow client. */
  readonly ready: boolean;
  /** Calls `listener` each time a slow client has caught up. */
  onReady(listener: () => void): void;
  /** Calls `listener` once it is over, whoever has ended it. */
  onClose(listener: () => void): void;
  send(message: Buffer): void;
  end(): void;
}

/** The one stream of a client of HTTP+SSE (2024-11-05, basic/transports). */
export interface ClientStream extends UnaskedStream {
  /** The handshake has opened a session; it lives as long as the stream. */
  opened(session: TranslatedSession): void;
  /** Resolves when a slow client has caught up, the stream is closed, or `signal` aborts. */
  drained(signal?: AbortSignal): Promise<void>;
}

/** Serves legacy clients on an upstream of another era. Each method answers the exchange, or throws a RefusalError. */
export interface LegacyTranslator {
  initialize(exchange: Exchange, request: Request, context: TranslationContext): Promise<void>;
  message(exchange: Exchange, session: Session, message: Message, context: TranslationContext): Promise<void>;
  batch(exchange: Exchange, session: Session, batch: Batch, context: TranslationContext): Promise<void>;
  get(exchange: Exchange, session: Session, context: TranslationContext): Promise<void>;
  delete(exchange: Exchange, session: Session, context: TranslationContext): Promise<void>;
}
