/**
 * One client request from its head to the part that answers it. This is the only file that knows both the hot
 * path and translation; it reads top-down as docs/life-of-a-request.md tells it.
 */
import { RefusalError, refuse, type Refusal } from '../errors.js';
import { detectFromBody, detectFromHead, type ClientHead, type LegacyOperation } from '../era/detect-client.js';
import type { Verdict } from '../era/verdicts.js';
import { readBody } from '../http/body.js';
import { ownerOf } from '../sessions/owner.js';
import type { Session } from '../sessions/session.js';
import { translation } from '../translate/index.js';
import type { TranslationContext } from '../translate/types.js';
import { readMessage, type ReadResult } from '../wire/jsonrpc.js';
import { legacyRevisions, looksModern, type Era } from '../wire/meta-keys.js';
import type { Exchange } from './exchange.js';
import { forwardInitialize, forwardLegacy, forwardModern } from './forward.js';
import type { Gateway } from './gateway.js';
import { noteClient } from './client-names.js';

/** Bodies up to this size are read whole before they are forwarded; larger ones are streamed. */
const smallBody = 64 * 1024;

/** What the edge knows of the session that a request names. */
type Named = { state: 'none' } | { state: 'unknown' } | { state: 'live'; session: Session; revision: string };

/** Answers one exchange, whatever happens: an error of ours becomes the cell `internal`. */
export async function route(gateway: Gateway, exchange: Exchange): Promise<void> {
  try {
    await decide(gateway, exchange);
  } catch (error) {
    if (exchange.over) return;
    if (error instanceof RefusalError) return exchange.refuse(error.refusal);
    gateway.log.error({ err: error, requestId: exchange.requestId }, 'an exchange failed');
    exchange.refuse(refuse('internal', { detail: `request ${exchange.requestId}` }));
  }
}

async function decide(gateway: Gateway, exchange: Exchange): Promise<void> {
  if (gateway.closing) return exchange.refuse(refuse('shutting-down'));
  const head = headOf(exchange);
  const named = await sessionNamed(gateway, exchange, head);
  const detection = detectFromHead(head, named);
  switch (detection.kind) {
    case 'claims-modern':
      return modernFromHead(gateway, exchange, head, detection.revision);
    case 'legacy':
      return legacyFromHead(gateway, exchange, named, detection.operation);
    case 'read-body':
      return fromBody(gateway, exchange, head, named);
    case 'refused':
      return sessionlessOr(gateway, exchange, detection);
  }
}

/** The members of the head that say who is speaking. */
function headOf(exchange: Exchange): ClientHead {
  const { method = '', headers } = exchange.request;
  return {
    method,
    contentType: headers['content-type'],
    protocolVersion: headers['mcp-protocol-version'] as string | undefined,
    sessionId: headers['mcp-session-id'] as string | undefined,
    mcpMethod: headers['mcp-method'] as string | undefined,
    mcpName: headers['mcp-name'] as string | undefined,
  };
}

/** Looks the named session up, for its owner and this upstream only; a modern request touches none (row 9). */
async function sessionNamed(gateway: Gateway, exchange: Exchange, head: ClientHead): Promise<Named> {
  if (head.sessionId === undefined) return { state: 'none' };
  if (head.protocolVersion !== undefined && looksModern(head.protocolVersion)) return { state: 'none' };
  const session = await gateway.sessions.find(head.sessionId, ownerOfRequest(exchange), exchange.upstream.name);
  return session === undefined ? { state: 'unknown' } : { state: 'live', session, revision: session.revision };
}

function ownerOfRequest(exchange: Exchange): string {
  return ownerOf(exchange.request.headers.authorization);
}

// --- modern clients --------------------------------------------------------------------------------

/** The head names a modern revision: towards a modern upstream the body is forwarded as it is. */
async function modernFromHead(gateway: Gateway, exchange: Exchange, head: ClientHead, revision: string): Promise<void> {
  exchange.clientEra = 'modern';
  exchange.revision = revision;
  exchange.method = head.mcpMethod;
  const body = await smallOrStream(gateway, exchange);
  const verdict = await verdictFor(gateway, exchange);
  if (verdict.speaks === 'legacy') return fromBody(gateway, exchange, head, { state: 'none' }, body);
  if (Buffer.isBuffer(body)) noteClient(gateway.recorder, exchange, body);
  forwardModern(gateway, exchange, body);
}

// --- legacy clients --------------------------------------------------------------------------------

/** A legacy operation that the head alone has told: on a live session, or GET and DELETE. */
async function legacyFromHead(gateway: Gateway, exchange: Exchange, named: Named, operation: LegacyOperation): Promise<void> {
  exchange.clientEra = 'legacy';
  if (named.state !== 'live') throw new Error('a legacy operation without a session passed the detector');
  const { session } = named;
  exchange.revision = session.revision;
  if (session.kind === 'forwarded') {
    exchange.upstreamEra = 'legacy';
    const body = operation === 'message' ? await smallOrStream(gateway, exchange) : 'none';
    return forwardLegacy(gateway, exchange, body, session);
  }
  exchange.upstreamEra = 'modern';
  const translator = translation('legacy', 'modern');
  const context = contextFor(gateway, exchange);
  switch (operation) {
    case 'get':
      return translator.get(exchange, session, context);
    case 'delete':
      return translator.delete(exchange, session, context);
    case 'initialize':
    case 'message':
    case 'batch':
      return fromBody(gateway, exchange, headOf(exchange), named);
  }
}
