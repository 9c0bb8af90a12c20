/** One request of a legacy client, carried to a modern upstream and its answer back. */
import type { Exchange } from '../../edge/exchange.js';
import { refuse, RefusalError, type Refusal } from '../../errors.js';
import { contradicts } from '../../era/contradictions.js';
import type { TranslatedSession } from '../../sessions/session.js';
import type { UpstreamResponse } from '../../upstreams/http.js';
import { idKey, readMessage, type Request } from '../../wire/jsonrpc.js';
import type { TranslationContext } from '../types.js';
import { documentsOf, isEventStream, letGo } from './documents.js';
import { outgoingHeaders, searchOf } from './headers.js';
import type { InputRequired } from './map-input.js';
import { mapMessage } from './map-message.js';
import { mapRequest, type TraceHeaders } from './map-request.js';
import type { ClientView } from './map-result.js';
import type { CallReply } from './reply.js';
import { Rounds } from './rounds.js';
import { calledTool, sendMirrored } from './tools.js';

/** Why a call was ended before its answer came. */
class EndedError extends Error {
  constructor(readonly why: 'cancelled' | 'session-ended' | 'abandoned') {
    super(`the call was ended: ${why}`);
  }
}

/**
 * Carries `request` and ends `reply`, or throws a RefusalError. A client that drops its connection has not cancelled
 * (2025-11-25, basic/transports "Sending Messages"): the call goes on for `limits.detachedCall`.
 */
export async function carryCall(
  exchange: Exchange,
  session: TranslatedSession,
  request: Request,
  reply: CallReply,
  context: TranslationContext,
): Promise<void> {
  const key = idKey(request.id);
  if (session.inflight.has(key)) throw new RefusalError(refuse('id-in-use'));
  const ended = new AbortController();
  const end = (why: EndedError['why']): void => ended.abort(new EndedError(why));
  session.inflight.set(key, { end });
  let abandoning: NodeJS.Timeout | undefined;
  exchange.onDeparture(() => {
    if (session.inflight.get(key)?.end === end)
      abandoning = setTimeout(end, context.limits.detachedCall, 'abandoned').unref();
  });
  exchange.upstreamBegan();
  try {
    const { signal } = ended;
    const rounds = new Rounds({ exchange, session, request, reply, context, signal });
    let sent: Request | undefined = request;
    while (sent !== undefined) {
      const response = await sendMirrored({ exchange, request: sent, context, signal }, (one, headers, limit) =>
        send(exchange, session, one, headers, limit),
      );
      const input = await relay(response, { exchange, session, request, sent, rounds, reply, context, signal });
      sent = input && (await rounds.next(input));
    }
  } catch (error) {
    // Whatever broke when the call was ended, broke because of that.
    const reason: unknown = ended.signal.aborted ? ended.signal.reason : error;
    if (!(reason instanceof EndedError)) throw reason;
    if (reason.why === 'session-ended') throw new RefusalError(refuse('session-ended'));
    reply.leaveUnanswered();
  } finally {
    clearTimeout(abandoning);
    exchange.upstreamEnded();
    session.inflight.delete(key);
    session.lastUsedAt = performance.now();
  }
}

function send(
  exchange: Exchange,
  session: TranslatedSession,
  request: Request,
  paramHeaders: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<UpstreamResponse> {
  return exchange.upstream.request(
    {
      method: 'POST',
      headers: [...outgoingHeaders(exchange.request, request), ...Object.entries(paramHeaders).flat()],
      body: mapRequest(request, session, exchange.request.headers as TraceHeaders),
      kind: 'call',
      search: searchOf(exchange.request),
    },
    { signal },
  );
}

/** A call that was sent. */
interface UnderWay {
  readonly exchange: Exchange;
  readonly session: TranslatedSession;
  readonly request: Request;
  /** As it was sent: the client's request, or a retry of it with what the client answered. */
  readonly sent: Request;
  readonly rounds: Rounds;
  readonly reply: CallReply;
  readonly context: TranslationContext;
  /** Aborts with an EndedError. */
  readonly signal: AbortSignal;
}

/**
 * Passes on what the upstream says, message by message, up to the answer; nothing after it. Resolves with what the
 * upstream asks for in place of an answer.
 */
async function relay(response: UpstreamResponse, call: UnderWay): Promise<InputRequired | undefined> {
  const { exchange, session, request, sent, rounds, reply, context, signal } = call;
  const wrapsOutput = calledTool(call)?.wrapsOutput ?? false;
  const view: ClientView = { revision: session.revision, wrapsOutput };
  const refusal = refusalOf(response, exchange.upstream.hasOwnAuthorization);
  let unread: Buffer | undefined;
  try {
    if (refusal !== undefined) throw new RefusalError(refusal);
    if (response.status < 300 && isEventStream(response)) reply.open();
    for await (const document of documentsOf(response)) {
      const mapped = mapMessage(readMessage(document), request, view, sent);
      switch (mapped.kind) {
        case 'event':
          await reply.event(mapped.bytes, signal);
          continue;
        case 'input':
          return mapped;
        case 'answer':
          if (mapped.code === undefined) await rounds.end();
          if (contradicts('modern', { status: response.status, code: mapped.code, method: request.method }))
            context.contradict();
          if (mapped.listed) context.tools.learn(exchange.upstream.name, context.owner, mapped.listed);
          reply.answer(mapped.bytes);
          return undefined;
        case 'refused':
          reply.refuse(mapped);
          return undefined;
        case 'nothing':
          context.log.debug({ requestId: exchange.requestId, why: mapped.why }, 'not passed on');
          unread = document;
      }
    }
  } finally {
    letGo(response.body);
  }
  // So answer servers of the legacy era, and whatever else may have moved in at this address.
  if ([400, 404, 405].includes(response.status)) context.contradict();
  throw new RefusalError(withoutAnswer(response, unread));
}

/** Answers that say by their status alone that there is none. */
export function refusalOf({ status, headers }: UpstreamResponse, ownCredential: boolean): Refusal | undefined {
  if (status >= 300 && status < 400) return refuse('upstream-redirect');
  if (status !== 401 && status !== 403) return undefined;
  if (ownCredential) return refuse('upstream-credential');
  // Several lines are one list (RFC 9110 §5.3); undici gives them as an array, whatever the type says.
  const challenge = [headers['www-authenticate'] ?? []].flat().join(', ');
  const passed = challenge === '' ? undefined : { 'www-authenticate': challenge };
  return refuse(status === 401 ? 'upstream-auth' : 'upstream-forbidden', { headers: passed });
}

/** How much of an unintelligible answer goes into the error that tells of it, in bytes. */
const excerpt = 120;

/** Why an answer that was read to its end held none. */
export function withoutAnswer(response: UpstreamResponse, unread: Buffer | undefined): Refusal {
  const detail = `HTTP ${response.status} ${JSON.stringify(unread?.toString('utf8', 0, excerpt) ?? '')}`;
  if (response.status >= 400) {
    const retryAfter = response.headers['retry-after'];
    return refuse('upstream-failed', {
      detail,
      headers: retryAfter === undefined ? undefined : { 'retry-after': retryAfter },
    });
  }
  if (!isEventStream(response)) return refuse('upstream-unintelligible', { detail });
  return refuse('upstream-reset', { detail: 'the stream ended without the answer' });
}
