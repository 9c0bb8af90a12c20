/** What a translator is, and what it may use. */
import type { Logger } from 'pino';
import type { Limits } from '../config/types.js';
import type { Exchange } from '../edge/exchange.js';
import type { Session, TranslatedSession } from '../sessions/session.js';
import type { Sessions } from '../sessions/sessions.js';
import type { Message, Request } from '../wire/jsonrpc.js';

/** What translation may use of the gateway, for one exchange. */
export interface TranslationContext {
  /** To whom sessions that this exchange opens belong. */
  readonly owner: string;
  readonly limits: Limits;
  readonly sessions: Sessions;
  readonly log: Logger;
  /** Where everything for the client goes, instead of the answers to its own requests. */
  readonly stream?: ClientStream;
  /** The raw DiscoverResult of the upstream. Rejects with a RefusalError. */
  discover(): Promise<Buffer>;
  /** The upstream answered as no server of the believed era does. */
  contradict(): void;
}

/** The one stream of a client of HTTP+SSE (2024-11-05, basic/transports). */
export interface ClientStream {
  /** The handshake has opened a session; it lives as long as the stream. */
  opened(session: TranslatedSession): void;
  /** Sends a message; resolves when the client has room for more, the stream is closed, or `signal` aborts. */
  send(message: Buffer, signal?: AbortSignal): Promise<void>;
}

/** Serves legacy clients on an upstream of another era. Each method answers the exchange, or throws a RefusalError. */
export interface LegacyTranslator {
  initialize(exchange: Exchange, request: Request, context: TranslationContext): Promise<void>;
  message(exchange: Exchange, session: Session, message: Message, context: TranslationContext): Promise<void>;
  get(exchange: Exchange, session: Session, context: TranslationContext): Promise<void>;
  delete(exchange: Exchange, session: Session, context: TranslationContext): Promise<void>;
}
