/** One request of a legacy client, carried to a modern upstream and its answer back. */
import type { Readable } from 'node:stream';
import type { Exchange } from '../../edge/exchange.js';
import { refuse, RefusalError, type Refusal } from '../../errors.js';
import { contradicts } from '../../era/contradictions.js';
import type { TranslatedSession } from '../../sessions/session.js';
import type { UpstreamResponse } from '../../upstreams/http.js';
import { idKey, readMessage, type Request } from '../../wire/jsonrpc.js';
import type { TranslationContext } from '../types.js';
import { documentsOf, isEventStream } from './documents.js';
import { outgoingHeaders } from './headers.js';
import { mapMessage } from './map-message.js';
import { mapRequest, type TraceHeaders } from './map-request.js';
import type { Reply } from './reply.js';

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
  reply: Reply,
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
    const response = await send(exchange, session, request, ended.signal);
    await relay(response, { exchange, request, reply, context, signal: ended.signal });
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
  signal: AbortSignal,
): Promise<UpstreamResponse> {
  const { headers, url = '' } = exchange.request;
  const query = url.indexOf('?');
  return exchange.upstream.request(
    {
      method: 'POST',
      headers: outgoingHeaders(exchange.request, request),
      body: mapRequest(request, session, headers as TraceHeaders),
      kind: 'call',
      search: query === -1 ? undefined : url.slice(query),
    },
    { signal },
  );
}

/** A call that was sent. */
interface UnderWay {
  readonly exchange: Exchange;
  readonly request: Request;
  readonly reply: Reply;
  readonly context: TranslationContext;
  /** Aborts with an EndedError. */
  readonly signal: AbortSignal;
}

/** Passes on what the upstream says, message by message, up to the answer; nothing after it. */
async function relay(response: UpstreamResponse, call: UnderWay): Promise<void> {
  const { exchange, request, reply, context, signal } = call;
  const refusal = refusalOf(response, exchange.upstream.hasOwnAuthorization);
  let unread: Buffer | undefined;
  try {
    if (refusal !== undefined) throw new RefusalError(refusal);
    if (response.status < 300 && isEventStream(response)) reply.open();
    for await (const document of documentsOf(response)) {
      const mapped = mapMessage(readMessage(document), request);
      switch (mapped.kind) {
        case 'event':
          await reply.event(mapped.bytes, signal);
          continue;
        case 'answer':
          if (contradicts('modern', { status: response.status, code: mapped.code, method: request.method }))
            context.contradict();
          return reply.answer(mapped.bytes);
        case 'refused':
          return reply.refuse(mapped);
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
function refusalOf({ status, headers }: UpstreamResponse, ownCredential: boolean): Refusal | undefined {
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
function withoutAnswer(response: UpstreamResponse, unread: Buffer | undefined): Refusal {
  const detail = `HTTP ${response.status} ${JSON.stringify(unread?.toString('utf8', 0, excerpt) ?? '')}`;
  if (response.status >= 400) return refuse('upstream-failed', { detail });
  if (!isEventStream(response)) return refuse('upstream-unintelligible', { detail });
  return refuse('upstream-reset', { detail: 'the stream ended without the answer' });
}

/** How long a stream may take to end after its answer, in milliseconds. */
const lastWords = 1_000;

/**
 * Wants nothing more of a body. It is read on for a moment, since a connection whose answer was read to its end can
 * be used again; then it is closed, which in the modern era cancels (2026-07-28, streamable-http "Cancellation").
 */
function letGo(body: Readable): void {
  if (body.closed) return;
  const timer = setTimeout(() => body.destroy(), lastWords).unref();
  body.once('close', () => clearTimeout(timer)).resume();
}
