/** Serves legacy clients, from 2024-11-05 to 2025-11-25, on a modern upstream. */
import type { Exchange } from '../../edge/exchange.js';
import { refuse, RefusalError } from '../../errors.js';
import type { Session, TranslatedSession } from '../../sessions/session.js';
import type { Request } from '../../wire/jsonrpc.js';
import type { LegacyTranslator, TranslationContext } from '../types.js';
import { carryCall } from './call.js';
import { readLevel, takeNotification } from './local.js';
import { initializeResult, readIntroduction } from './map-initialize.js';
import { routeOf } from './methods.js';
import { HttpReply, type Reply } from './reply.js';
import { StreamReply } from './stream-reply.js';

/** The translator of this pair. */
export const legacyToModern: LegacyTranslator = {
  initialize: (exchange, request, context) =>
    replying(exchange, context, (reply) => initialize(exchange, request, reply, context)),

  async message(exchange, session, message, context) {
    expectTranslated(session);
    switch (message.kind) {
      case 'request':
        return replying(exchange, context, (reply) => serve(exchange, session, message, reply, context));
      case 'notification':
        takeNotification(session, message);
        return exchange.end(202, {});
      // The gateway asked nothing, so nothing waits for this; the client has done its part.
      case 'response':
      case 'error':
        return exchange.end(202, {});
    }
  },

  get: () => Promise.reject(new RefusalError(refuse('get-not-offered'))),

  async delete(exchange, session, { sessions }) {
    await sessions.end(session, 'deleted');
    exchange.end(200, {});
  },
};

/** Does `work`; what it refuses is told in a form that the client can read. */
async function replying(
  exchange: Exchange,
  { stream }: TranslationContext,
  work: (reply: Reply) => Promise<void>,
): Promise<void> {
  const reply = stream === undefined ? new HttpReply(exchange) : new StreamReply(exchange, stream);
  try {
    await work(reply);
  } catch (error) {
    if (!(error instanceof RefusalError)) throw error;
    reply.refuse(error.refusal);
  }
}

/** The handshake: what the upstream says of itself, and a session that the upstream never hears of. */
async function initialize(
  exchange: Exchange,
  request: Request,
  reply: Reply,
  context: TranslationContext,
): Promise<void> {
  const introduction = readIntroduction(request);
  if (typeof introduction === 'string') throw new RefusalError(refuse('params-invalid', { detail: introduction }));
  const { revision } = introduction;
  exchange.revision = revision;
  exchange.upstreamBegan();
  const discovered = await context.discover().finally(() => exchange.upstreamEnded());
  if (reply.over) return; // nobody would ever use the session
  const { name } = exchange.upstream;
  const session = await context.sessions.open({ owner: context.owner, upstream: name, ...introduction });
  context.stream?.opened(session);
  const result = initializeResult(discovered, revision, name);
  reply.answer(resultOf(request, result), { 'mcp-session-id': session.id });
}

async function serve(
  exchange: Exchange,
  session: TranslatedSession,
  request: Request,
  reply: Reply,
  context: TranslationContext,
): Promise<void> {
  switch (routeOf(request.method)) {
    case 'ping':
      return reply.answer(resultOf(request, '{}'));
    case 'set-level':
      session.logLevel = readLevel(request);
      await context.sessions.keep(session);
      return reply.answer(resultOf(request, '{}'));
    case 'initialize':
      throw new RefusalError(refuse('already-initialized'));
    case 'not-carried':
      throw new RefusalError(refuse('method-not-carried', { detail: request.method }));
    case 'forward':
      return carryCall(exchange, session, request, reply, context);
  }
}

function resultOf({ id }: Request, result: Buffer | string): Buffer {
  return Buffer.concat([Buffer.from(`{"jsonrpc":"2.0","id":${id},"result":`), Buffer.from(result), Buffer.from('}')]);
}

function expectTranslated(session: Session): asserts session is TranslatedSession {
  if (session.kind !== 'translated') throw new Error('a forwarded session reached translation');
}
