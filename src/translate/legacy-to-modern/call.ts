/** One request of a legacy client, carried to a modern upstream and its answer back. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { Exchange } from '../../edge/exchange.js';
import { refuse, RefusalError, type Refusal } from '../../errors.js';
import { forwardedHeaders } from '../../http/headers.js';
import type { TranslatedSession } from '../../sessions/session.js';
import { cellOfUpstreamError, type UpstreamResponse } from '../../upstreams/http.js';
import { idKey, type Request } from '../../wire/jsonrpc.js';
import { standardHeaders } from '../../wire/mcp-headers.js';
import { modernRevisions } from '../../wire/meta-keys.js';
import type { TranslationContext } from '../types.js';
import { Answers } from './answers.js';
import { mapRequest, type TraceHeaders } from './map-request.js';
import { Reply } from './reply.js';

/** Why a call was ended before its answer came. */
type Ending = 'cancelled' | 'session-ended' | 'abandoned';

class EndedError extends Error {
  constructor(readonly why: Ending) {
    super(`the call was ended: ${why}`);
  }
}

/**
 * Carries `request` and answers the exchange. A client that drops its connection has not cancelled (2025-11-25,
 * basic/transports "Sending Messages"): the call goes on for `limits.detachedCall`.
 */
export async function carryCall(
  exchange: Exchange,
  session: TranslatedSession,
  request: Request,
  context: TranslationContext,
): Promise<void> {
  const key = idKey(request.id);
  if (session.inflight.has(key)) throw new RefusalError(refuse('id-in-use'));
  const reply = new Reply(exchange);
  if (reply.unacceptable) throw new RefusalError(reply.unacceptable);
  const ended = new AbortController();
  session.inflight.set(key, { end: (why) => ended.abort(new EndedError(why)) });
  let abandoning: NodeJS.Timeout | undefined;
  exchange.onDeparture(() => {
    abandoning = setTimeout(() => ended.abort(new EndedError('abandoned')), context.limits.detachedCall).unref();
  });
  try {
    const response = await send(exchange, session, request, ended.signal);
    await relay(exchange, request, response, reply, ended.signal, context);
  } catch (error) {
    conclude(reply, error, ended.signal);
  } finally {
    exchange.upstreamEnded();
    clearTimeout(abandoning);
    session.inflight.delete(key);
  }
}

/** How a call ends that has no answer from upstream. */
function conclude(reply: Reply, error: unknown, ended: AbortSignal): void {
  const reason: unknown = ended.aborted ? ended.reason : error;
  if (reason instanceof EndedError) {
    if (reason.why === 'session-ended') reply.refuse(refuse('session-ended'));
    else reply.leaveUnanswered();
    return;
  }
  if (!(reason instanceof RefusalError)) throw reason;
  reply.refuse(reason.refusal);
}

function send(
  exchange: Exchange,
  session: TranslatedSession,
  request: Request,
  signal: AbortSignal,
): Promise<UpstreamResponse> {
  const { headers } = exchange.request;
  exchange.upstreamBegan();
  return exchange.upstream.request(
    {
      method: 'POST',
      headers: outgoingHeaders(exchange, request),
      body: mapRequest(request, session, headers as TraceHeaders),
      kind: 'call',
    },
    { signal },
  );
}

/** Fields of this hop, never copied across from the client's. */
const ownFields: Readonly<Record<string, string>> = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  // Nothing here decodes, so nothing may be encoded.
  'accept-encoding': 'identity',
  'mcp-protocol-version': modernRevisions[0],
};

/** What the client says to the gateway about a body or a session that the upstream never sees. */
const notCopied: ReadonlySet<string> = new Set([
  ...Object.keys(ownFields),
  'content-encoding',
  'last-event-id',
  'mcp-session-id',
  'mcp-method',
  'mcp-name',
]);

/** The client's fields but for those of its own hop, then ours, computed from what goes up. */
function outgoingHeaders({ request: incoming }: Exchange, request: Request): string[] {
  const copied = forwardedHeaders(incoming, false);
  const out: string[] = [];
  for (let at = 0; at < copied.length; at += 2) {
    const name = (copied[at] as string).toLowerCase();
    if (!notCopied.has(name) && !name.startsWith('mcp-param-')) out.push(name, copied[at + 1] as string);
  }
  return out.concat(Object.entries({ ...ownFields, ...standardHeaders(request) }).flat());
}

/** Judges the head of the answer, and hands its body to the right reader. */
async function relay(
  exchange: Exchange,
  request: Request,
  { status, headers, body }: UpstreamResponse,
  reply: Reply,
  signal: AbortSignal,
  context: TranslationContext,
): Promise<void> {
  const refusal = refusalOf(status, headers, exchange.upstream.hasOwnAuthorization);
  if (refusal !== undefined) {
    body.destroy();
    throw new RefusalError(refusal);
  }
  const answers = new Answers(request, reply, context);
  const stopReading = (): void => void body.destroy(signal.reason as Error);
  signal.addEventListener('abort', stopReading, { once: true });
  try {
    if (isEventStream(headers)) await answers.fromEvents(body);
    else await answers.fromDocument(body, status);
  } catch (error) {
    if (error instanceof RefusalError) throw error;
    throw new RefusalError(refuse(cellOfUpstreamError(error)), { cause: error });
  } finally {
    signal.removeEventListener('abort', stopReading);
    discard(body);
  }
}

/** Answers that say by their status alone that there is none. */
function refusalOf(status: number, headers: IncomingHttpHeaders, ownCredential: boolean): Refusal | undefined {
  if (status >= 300 && status < 400) return refuse('upstream-redirect');
  if (status !== 401 && status !== 403) return undefined;
  if (status === 401 && ownCredential) return refuse('upstream-credential');
  const challenge = headers['www-authenticate'];
  const passed = challenge === undefined ? undefined : { 'www-authenticate': challenge };
  return refuse(status === 401 ? 'upstream-auth' : 'upstream-forbidden', { headers: passed });
}

function isEventStream(headers: IncomingHttpHeaders): boolean {
  return /^text\/event-stream\b/i.test(headers['content-type'] ?? '');
}

/** Closing what is left of a stream is how the modern era cancels (2026-07-28, streamable-http "Cancellation"). */
function discard(body: Readable): void {
  if (!body.readableEnded) body.destroy();
}
