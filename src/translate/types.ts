/** What a translator is, and what it may use. */
import type { Logger } from 'pino';
import type { Limits } from '../config/types.js';
import type { Exchange } from '../edge/exchange.js';
import type { Session } from '../sessions/session.js';
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
  readonly tools: ToolMemory;
  /** The raw DiscoverResult of the upstream. Rejects with a RefusalError. */
  discover(): Promise<Buffer>;
  /** The upstream answered as no server of the believed era does. */
  contradict(): void;
}

/** Serves legacy clients on an upstream of another era. Each method answers the exchange, or throws a RefusalError. */
export interface LegacyTranslator {
  initialize(exchange: Exchange, request: Request, context: TranslationContext): Promise<void>;
  message(exchange: Exchange, session: Session, message: Message, context: TranslationContext): Promise<void>;
  batch(exchange: Exchange, session: Session, batch: Batch, context: TranslationContext): Promise<void>;
  get(exchange: Exchange, session: Session, context: TranslationContext): Promise<void>;
  delete(exchange: Exchange, session: Session, context: TranslationContext): Promise<void>;
}
