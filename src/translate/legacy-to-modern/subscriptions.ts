/** The GET stream, `resources/subscribe` and `resources/unsubscribe` of a legacy client. */
import type { Exchange } from '../../edge/exchange.js';
import { refuse, RefusalError } from '../../errors.js';
import { acceptableOf } from '../../http/accept.js';
import { without } from '../../http/headers.js';
import type { TranslatedSession } from '../../sessions/session.js';
import { paramString, type Request } from '../../wire/jsonrpc.js';
import type { TranslationContext, UnaskedStream } from '../types.js';
import { Feed } from './feed.js';
import { GetStream } from './get-stream.js';
import { outgoingHeaders, searchOf } from './headers.js';
import { listenRequest, nothing } from './map-listen.js';

/** What hears changes for a session, and with which credential. */
interface Hearing {
  readonly feed: Feed;
  authorization: string | undefined;
}

/** Sessions that have asked for changes. What is under way in a session stays with the process that runs it. */
const hearings = new WeakMap<TranslatedSession, Hearing>();

/** Opens the GET stream at once, fed from then on. Throws a RefusalError (`not-acceptable`, `session-unknown`). */
export function openGetStream(exchange: Exchange, session: TranslatedSession, context: TranslationContext): void {
  if (!acceptableOf(exchange.request.headers.accept).events) throw new RefusalError(refuse('not-acceptable'));
  const { feed } = hearingOf(exchange, session, context);
  if (exchange.over) return;
  const stream = new GetStream(exchange);
  // No JSON value begins like this key, so no call can have it.
  const key = `get ${exchange.requestId}`;
  session.inflight.set(key, { end: () => stream.end() });
  stream.onClose(() => {
    session.inflight.delete(key);
    session.lastUsedAt = performance.now();
  });
  feed.attach(stream);
}

/** Has what comes unasked come on the one stream of a client of HTTP+SSE, from now on. */
export function hearUnasked(
  stream: UnaskedStream,
  exchange: Exchange,
  session: TranslatedSession,
  context: TranslationContext,
): void {
  if (!session.ending.signal.aborted) hearingOf(exchange, session, context).feed.attach(stream);
}

/** Begins or ends the updates of one resource. Throws a RefusalError; see `Feed.subscribe`. */
export async function changeSubscription(
  change: 'subscribe' | 'unsubscribe',
  exchange: Exchange,
  session: TranslatedSession,
  request: Request,
  context: TranslationContext,
): Promise<void> {
  const uri = paramString(request, 'uri');
  if (uri === undefined) throw new RefusalError(refuse('params-invalid', { detail: 'uri must be a string' }));
  const { feed } = hearingOf(exchange, session, context);
  exchange.upstreamBegan();
  await feed[change](uri).finally(() => exchange.upstreamEnded());
}

/** A subscription lives longer than a credential: the latest of its owner goes with the next one that is opened. */
export function noteCredential(session: TranslatedSession, { request }: Exchange): void {
  const hearing = hearings.get(session);
  if (hearing !== undefined) hearing.authorization = request.headers.authorization;
}

function hearingOf(exchange: Exchange, session: TranslatedSession, context: TranslationContext): Hearing {
  if (session.ending.signal.aborted) throw new RefusalError(refuse('session-unknown'));
  noteCredential(session, exchange);
  const known = hearings.get(session);
  if (known !== undefined) return known;
  // All but the credential is the same for every subscription of the session.
  const headers = without(outgoingHeaders(exchange.request, listenRequest('0', nothing)), new Set(['authorization']));
  const hearing: Hearing = {
    authorization: exchange.request.headers.authorization,
    feed: new Feed({
      upstream: exchange.upstream,
      envelope: session,
      lists: new Set(session.listChanges),
      headers: () =>
        hearing.authorization === undefined ? headers : [...headers, 'authorization', hearing.authorization],
      search: searchOf(exchange.request),
      linger: context.limits.detachedCall,
      log: context.log,
    }),
  };
  hearings.set(session, hearing);
  session.ending.signal.addEventListener('abort', () => hearing.feed.close(), { once: true });
  return hearing;
}
