/** Serves legacy clients, from 2024-11-05 to 2025-11-25, on a modern upstream. */
import type { Exchange } from '../../edge/exchange.js';
import { refuse, RefusalError } from '../../errors.js';
import type { Session, TranslatedSession } from '../../sessions/session.js';
import { idKey, paramString, type Notification, type Request } from '../../wire/jsonrpc.js';
import { memberAt, rawText } from '../../wire/json.js';
import type { LegacyTranslator, TranslationContext } from '../types.js';
import { carryCall } from './call.js';
import { initializeResult, readIntroduction } from './map-initialize.js';
import { routeOf } from './methods.js';
import { Reply } from './reply.js';

/** The translator of this pair. */
export const legacyToModern: LegacyTranslator = {
  initialize,

  async message(exchange, session, message, context) {
    expectTranslated(session);
    switch (message.kind) {
      case 'request':
        return request(exchange, session, message, context);
      case 'notification':
        notification(session, message);
        return exchange.end(202, {});
      // The gateway asked nothing, so nothing waits for this; the client has done its part.
      case 'response':
      case 'error':
        return exchange.end(202, {});
    }
  },

  async get(exchange) {
    exchange.refuse(refuse('get-not-offered'));
  },

  async delete(exchange, session, { sessions }) {
    await sessions.end(session, 'deleted');
    exchange.end(200, {});
  },
};

/** The handshake: what the upstream says of itself, and a session that the upstream never hears of. */
async function initialize(exchange: Exchange, request: Request, context: TranslationContext): Promise<void> {
  const reply = new Reply(exchange);
  if (reply.unacceptable) throw new RefusalError(reply.unacceptable);
  const introduction = readIntroduction(request);
  if (typeof introduction === 'string') throw new RefusalError(refuse('params-invalid', { detail: introduction }));
  exchange.revision = introduction.revision;
  exchange.upstreamBegan();
  const discovered = await context.discover().finally(() => exchange.upstreamEnded());
  const result = initializeResult(discovered, introduction.revision, exchange.upstream.name);
  const { owner, sessions } = context;
  const { id } = await sessions.open({ owner, upstream: exchange.upstream.name, ...introduction });
  reply.answer(resultOf(request, result), { 'mcp-session-id': id });
}

async function request(
  exchange: Exchange,
  session: TranslatedSession,
  message: Request,
  context: TranslationContext,
): Promise<void> {
  switch (routeOf(message.method)) {
    case 'ping':
      return new Reply(exchange).answer(resultOf(message, '{}'));
    case 'set-level':
      session.logLevel = levelOf(message);
      return new Reply(exchange).answer(resultOf(message, '{}'));
    case 'initialize':
      return exchange.refuse(refuse('already-initialized'));
    case 'not-carried':
      return exchange.refuse(refuse('method-not-carried', { detail: message.method }));
    case 'forward':
      return carryCall(exchange, session, message, context);
  }
}

/** The modern era has no notifications from clients: what matters is done here (2026-07-28, changelog). */
function notification(session: TranslatedSession, { bytes, method, params }: Notification): void {
  if (method !== 'notifications/cancelled' || params === undefined) return;
  const id = memberAt(bytes, params, ['requestId'])?.value;
  if (id !== undefined) session.inflight.get(idKey(rawText(bytes, id)))?.end('cancelled');
}

/** The levels of RFC 5424, as 2025-11-25 server/utilities/logging names them. */
const levels: ReadonlySet<string> = new Set([
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
]);

/** The level that `logging/setLevel` asks for, as raw JSON. */
function levelOf(message: Request): string {
  const level = paramString(message, 'level');
  if (level !== undefined && levels.has(level)) return JSON.stringify(level);
  throw new RefusalError(refuse('params-invalid', { detail: `level must be one of ${[...levels].join(', ')}` }));
}

function resultOf({ id }: Request, result: Buffer | string): Buffer {
  return Buffer.concat([Buffer.from(`{"jsonrpc":"2.0","id":${id},"result":`), Buffer.from(result), Buffer.from('}')]);
}

function expectTranslated(session: Session): asserts session is TranslatedSession {
  if (session.kind !== 'translated') throw new Error('a forwarded session reached translation');
}
