/** Serves legacy clients, from 2024-11-05 to 2025-11-25, on a modern upstream. */
import type { Exchange } from '../../edge/exchange.js';
import { refuse, RefusalError } from '../../errors.js';
import type { Session, TranslatedSession } from '../../sessions/session.js';
import type { Message, Request } from '../../wire/jsonrpc.js';
import type { LegacyTranslator, TranslationContext } from '../types.js';
import { takeAnswer } from './ask.js';
import { serveBatch } from './batch.js';
import { carryCall } from './call.js';
import { readLevel, takeNotification } from './local.js';
import { initializeResult, readIntroduction } from './map-initialize.js';
import { routeOf } from './methods.js';
import { advertisedLists } from './map-listen.js';
import { resultOf } from './own-messages.js';
import { Reply, type CallReply } from './reply.js';
import { StreamReply } from './stream-reply.js';
import { changeSubscription, hearUnasked, noteCredential, openGetStream } from './subscriptions.js';

/** The translator of this pair. */
export const legacyToModern: LegacyTranslator = {
  initialize: (exchange, request, context) =>
    replying(exchange, context, (reply) => initialize(exchange, request, reply, context)),

  async message(exchange, session, message, context) {
    expectTranslated(session);
    noteCredential(session, exchange);
    if (message.kind === 'request')
      return replying(exchange, context, (reply) => serve(exchange, session, message, reply, context));
    take(session, message);
    exchange.end(202, {});
  },

  async batch(exchange, session, batch, context) {
    expectTranslated(session);
    noteCredential(session, exchange);
    await refusing(new Reply(exchange), (whole) =>
      serveBatch(exchange, batch, whole, {
        serve: (request, reply) => serve(exchange, session, request, reply, context),
        take: (message) => take(session, message),
        failed: (err) => context.log.error({ err, requestId: exchange.requestId }, 'a message of a batch failed'),
      }),
    );
  },

  get(exchange, session, context) {
    expectTranslated(session);
    openGetStream(exchange, session, context);
    return Promise.resolve();
  },

  async delete(exchange, session, { sessions }) {
    await sessions.end(session, 'deleted');
    exchange.end(200, {});
  },
};

/** Does `work`, which answers where this client hears it. */
function replying(
  exchange: Exchange,
  { stream }: TranslationContext,
  work: (reply: CallReply & Pick<Reply, 'over'>) => Promise<void>,
): Promise<void> {
  if (stream !== undefined) return refusing(new StreamReply(exchange, stream), work);
  return refusing(new Reply(exchange), work);
}

/** Does `work`; what it refuses is told in a form that the client can read. */
async function refusing<R extends CallReply>(reply: R, work: (reply: R) => Promise<void>): Promise<void> {
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
  reply: CallReply & Pick<Reply, 'over'>,
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
  const listChanges = advertisedLists(discovered);
  const session = await context.sessions.open({ owner: context.owner, upstream: name, ...introduction, listChanges });
  context.stream?.opened(session);
  const result = initializeResult(discovered, revision, name);
  reply.answer(resultOf(request, result), { 'mcp-session-id': session.id });
  if (context.stream !== undefined) hearUnasked(context.stream, exchange, session, context);
}

/** What is not answered. */
function take(session: TranslatedSession, message: Exclude<Message, Request>): void {
  if (message.kind === 'notification') takeNotification(session, message);
  else takeAnswer(session, message);
}

async function serve(
  exchange: Exchange,
  session: TranslatedSession,
  request: Request,
  reply: CallReply,
  context: TranslationContext,
): Promise<void> {
  const route = routeOf(request.method);
  switch (route) {
    case 'ping':
      return reply.answer(resultOf(request, '{}'));
    case 'set-level':
      session.logLevel = readLevel(request);
      await context.sessions.keep(session);
      return reply.answer(resultOf(request, '{}'));
    case 'initialize':
      throw new RefusalError(refuse('already-initialized'));
    case 'subscribe':
    case 'unsubscribe':
      await changeSubscription(route, exchange, session, request, context);
      return reply.answer(resultOf(request, '{}'));
    case 'not-carried':
      throw new RefusalError(refuse('method-not-carried', { detail: request.method }));
    case 'forward':
      return carryCall(exchange, session, request, reply, context);
  }
}

function expectTranslated(session: Session): asserts session is TranslatedSession {
  if (session.kind !== 'translated') throw new Error('a forwarded session reached translation');
}
