/**
 * One client request from its head to the part that answers it. This is the only file that knows both the hot
 * path and translation; it reads top-down as docs/life-of-a-request.md tells it.
 */
import { RefusalError, refuse } from '../errors.js';
import { detectFromBody, detectFromHead, type ClientHead, type LegacyOperation } from '../era/detect-client.js';
import { EraChangedError } from '../era/discoveries.js';
import { DepartedError, readBody } from '../http/body.js';
import { ownerOf } from '../sessions/owner.js';
import type { Session } from '../sessions/session.js';
import { pairOf, type Pair } from '../translate/index.js';
import type { LegacyTranslator, TranslationContext } from '../translate/types.js';
import { memberAt } from '../wire/json.js';
import { readMessage, type Message, type ReadResult, type Request } from '../wire/jsonrpc.js';
import { legacyRevisions, looksModern, metaKeys, type Era } from '../wire/meta-keys.js';
import { noteClient } from './client-names.js';
import type { Exchange } from './exchange.js';
import { forwardInitialize, forwardLegacy, forwardModern } from './forward.js';
import type { Gateway } from './gateway.js';

/** Bodies up to this size are read whole before they are forwarded; larger ones are streamed. */
const smallBody = 64 * 1024;

/** What the edge knows of the session that a request names. */
type Named =
  | { readonly state: 'none' | 'unknown' }
  | { readonly state: 'live'; readonly session: Session; readonly revision: string | undefined };

/** Answers one exchange on an MCP endpoint. */
export function route(gateway: Gateway, exchange: Exchange): Promise<void> {
  return answering(gateway, exchange, () => decide(gateway, exchange));
}

/** Has `work` answer one exchange, whatever happens: an error of ours becomes the cell `internal`. */
export async function answering(gateway: Gateway, exchange: Exchange, work: () => Promise<void>): Promise<void> {
  if (gateway.closing) return exchange.refuse(refuse('shutting-down'));
  try {
    await work();
  } catch (error) {
    if (exchange.over || error instanceof DepartedError) return;
    if (error instanceof RefusalError) return exchange.refuse(error.refusal);
    gateway.log.error({ err: error, requestId: exchange.requestId }, 'an exchange failed');
    exchange.refuse(refuse('internal', { detail: `request ${exchange.requestId}` }));
  }
}

async function decide(gateway: Gateway, exchange: Exchange): Promise<void> {
  const head = headOf(exchange);
  const named = await sessionNamed(gateway, exchange, head);
  const detection = detectFromHead(head, named);
  switch (detection.kind) {
    case 'claims-modern':
      return modernFromHead(gateway, exchange, detection.revision);
    case 'legacy':
      return legacyFromHead(gateway, exchange, named, detection.operation);
    case 'read-body':
      return fromBody(gateway, exchange, named);
    case 'refused':
      if (detection.cell === 'session-id-missing') return verbWithoutSession(gateway, exchange);
      return exchange.refuse(detection);
  }
}

/** The members of the head that say who is speaking. */
function headOf({ request }: Exchange): ClientHead {
  const { headers } = request;
  return {
    method: request.method ?? '',
    contentType: headers['content-type'],
    protocolVersion: headers['mcp-protocol-version'] as string | undefined,
    mcpMethod: headers['mcp-method'] as string | undefined,
    mcpName: headers['mcp-name'] as string | undefined,
  };
}

/** Looks the named session up, for its owner and this upstream only; a modern request touches none (row 9). */
async function sessionNamed(gateway: Gateway, exchange: Exchange, { protocolVersion }: ClientHead): Promise<Named> {
  const id = exchange.request.headers['mcp-session-id'] as string | undefined;
  if (id === undefined || (protocolVersion !== undefined && looksModern(protocolVersion))) return { state: 'none' };
  const session = await gateway.sessions.find(id, {
    owner: ownerOfRequest(exchange),
    upstream: exchange.upstream.name,
  });
  return session === undefined ? { state: 'unknown' } : { state: 'live', session, revision: session.revision };
}

/** To whom what this exchange opens or uses belongs. */
export function ownerOfRequest({ request, upstream }: Exchange): string {
  return ownerOf(request.headers.authorization, !upstream.hasOwnAuthorization);
}

// --- modern clients --------------------------------------------------------------------------------

/** The head names a modern revision: towards a modern upstream the body is forwarded as it is. */
async function modernFromHead(gateway: Gateway, exchange: Exchange, revision: string): Promise<void> {
  exchange.clientEra = 'modern';
  exchange.revision = revision;
  exchange.method = exchange.request.headers['mcp-method'] as string;
  const body = await smallOrStream(gateway, exchange);
  if (Buffer.isBuffer(body)) noteConnection(gateway, exchange, body);
  const pair = await pairFor(gateway, exchange, 'modern');
  if (pair.kind === 'passthrough') return forwardModern(gateway, exchange, body);
  return fromBody(gateway, exchange, { state: 'none' }, body);
}

/** Sockets whose client has been counted: a modern client names itself on every request, we look at one. */
const counted = new WeakSet<object>();

function noteConnection({ recorder }: Gateway, { request }: Exchange, body: Buffer): void {
  if (counted.has(request.socket)) return;
  counted.add(request.socket);
  const message = readMessage(body);
  if (message.kind !== 'request' || message.meta === undefined) return;
  noteClient(recorder, 'modern', body, memberAt(body, message.meta, [metaKeys.clientInfo])?.value);
}

// --- legacy clients --------------------------------------------------------------------------------

/** A legacy operation on a live session, which the head alone has told. */
async function legacyFromHead(
  gateway: Gateway,
  exchange: Exchange,
  named: Named,
  operation: 'message' | 'get' | 'delete',
): Promise<void> {
  exchange.clientEra = 'legacy';
  if (named.state !== 'live') throw new Error('a legacy operation without a session passed the detector');
  const { session } = named;
  exchange.revision = session.revision ?? (exchange.request.headers['mcp-protocol-version'] as string | undefined);
  const body = operation === 'message' ? await smallOrStream(gateway, exchange) : 'none';
  const pair = await pairFor(gateway, exchange, 'legacy');
  // Another server has taken the place of the one that this session was opened on: its client has to begin again.
  if ((pair.kind === 'passthrough') !== (session.kind === 'forwarded')) return outlived(gateway, exchange, session);
  if (pair.kind !== 'legacy-client') return forwardLegacy(gateway, exchange, body, session);
  if (operation === 'message') return fromBody(gateway, exchange, named, body);
  return pair.translator[operation](exchange, session, contextFor(gateway, exchange));
}

/** A session that nothing behind it knows any more; 404 says so (2025-11-25, transports "Session Management"). */
async function outlived({ sessions }: Gateway, exchange: Exchange, session: Session): Promise<void> {
  await sessions.end(session, 'upstream-lost');
  exchange.refuse(refuse('session-unknown'));
}

/** Translated sessions live on modern upstreams only. */
export function legacyTranslator(): LegacyTranslator {
  const pair = pairOf('legacy', 'modern');
  if (pair.kind !== 'legacy-client') throw new Error('legacy clients are not served on modern upstreams');
  return pair.translator;
}

/**
 * GET or DELETE without a session id. Where the upstream keeps no sessions that is how its clients ask, and it
 * answers itself; towards a modern upstream there is no stream without a session.
 */
function verbWithoutSession(gateway: Gateway, exchange: Exchange): void {
  exchange.clientEra = 'legacy';
  if (gateway.sessionless.has(exchange.upstream.name)) {
    exchange.upstreamEra = 'legacy';
    return forwardLegacy(gateway, exchange, 'none', undefined);
  }
  const isGet = exchange.request.method === 'GET';
  const modernOnly = gateway.verdicts.peek(exchange.upstream)?.speaks === 'modern';
  exchange.refuse(refuse(isGet && modernOnly ? 'get-not-offered' : 'session-id-missing'));
}

// --- what only the body tells ----------------------------------------------------------------------

async function fromBody(
  gateway: Gateway,
  exchange: Exchange,
  named: Named,
  read?: Buffer | 'stream' | 'none',
): Promise<void> {
  const body = Buffer.isBuffer(read) ? read : await wholeBody(gateway, exchange);
  const message = readMessage(body);
  if ('method' in message) exchange.method = message.method;
  if (message.kind === 'request') exchange.id = message.id;
  const detection = detectFromBody(headOf(exchange), named, message);
  switch (detection.kind) {
    case 'refused':
      if (detection.cell === 'initialize-first') return withoutSession(gateway, exchange, body);
      return exchange.refuse(detection);
    case 'stray-notification':
      return exchange.end(202, {});
    case 'modern':
      return modernFromBody(gateway, exchange, detection.revision, body);
    case 'legacy':
      exchange.clientEra = 'legacy';
      return legacyFromBody(gateway, exchange, named, message, detection.operation);
  }
}

async function modernFromBody(gateway: Gateway, exchange: Exchange, revision: string, body: Buffer): Promise<void> {
  exchange.clientEra = 'modern';
  exchange.revision = revision;
  const pair = await pairFor(gateway, exchange, 'modern');
  if (pair.kind === 'passthrough') return forwardModern(gateway, exchange, body);
  // A client that speaks both eras reads from this that it can open with initialize.
  exchange.refuse(refuse('pair-not-served', { data: { supported: legacyRevisions, requested: revision } }));
}

/** `initialize`, or a message of a translated session; forwarded sessions were served from the head. */
function legacyFromBody(
  gateway: Gateway,
  exchange: Exchange,
  named: Named,
  message: ReadResult,
  operation: LegacyOperation,
): Promise<void> {
  if (operation === 'initialize') return initialize(gateway, exchange, message as Request);
  if (named.state !== 'live') throw new Error('a legacy message without a session passed the detector');
  const context = contextFor(gateway, exchange);
  if (message.kind === 'batch') return legacyTranslator().batch(exchange, named.session, message, context);
  return legacyTranslator().message(exchange, named.session, message as Message, context);
}

async function initialize(gateway: Gateway, exchange: Exchange, message: Request): Promise<void> {
  noteIntroduction(gateway, message);
  const pair = await pairFor(gateway, exchange, 'legacy');
  if (pair.kind === 'legacy-client' && (await translated(gateway, exchange, message, pair.translator))) return;
  await gateway.sessions.ensureRoom();
  forwardInitialize(gateway, exchange, message.bytes, ownerOfRequest(exchange));
}

/** Counts the client that `initialize` introduces. */
export function noteIntroduction({ recorder }: Gateway, { bytes, params }: Request): void {
  noteClient(recorder, 'legacy', bytes, params && memberAt(bytes, params, ['clientInfo'])?.value);
}

/** Whether the handshake was translated: an upstream that has become legacy since the verdict gets it as it is. */
async function translated(
  gateway: Gateway,
  exchange: Exchange,
  message: Request,
  translator: LegacyTranslator,
): Promise<boolean> {
  try {
    await translator.initialize(exchange, message, contextFor(gateway, exchange));
    return true;
  } catch (error) {
    if (!(error instanceof EraChangedError)) throw error;
    const pair = await pairFor(gateway, exchange, 'legacy');
    if (pair.kind === 'passthrough') return false;
    throw new RefusalError(refuse('upstream-unintelligible', { detail: error.message }), { cause: error });
  }
}

/** A legacy message that names no session: right where the upstream keeps none, else before its initialize. */
function withoutSession(gateway: Gateway, exchange: Exchange, body: Buffer): void {
  exchange.clientEra = 'legacy';
  if (!gateway.sessionless.has(exchange.upstream.name)) return exchange.refuse(refuse('initialize-first'));
  exchange.upstreamEra = 'legacy';
  forwardLegacy(gateway, exchange, body, undefined);
}

// --- common ground ---------------------------------------------------------------------------------

/**
 * How a client of `era` is served. An upstream that speaks both eras serves each client in its own; an era that is
 * not known yet costs a probe, shared by all who wait for it.
 */
async function pairFor(gateway: Gateway, exchange: Exchange, era: Era): Promise<Pair> {
  const { speaks } = await gateway.verdicts.get(exchange.upstream, exchange.request.headers.authorization);
  exchange.upstreamEra = speaks === 'both' ? era : speaks;
  return pairOf(era, exchange.upstreamEra);
}

/** A small body whole, since it came in one piece and an error can carry its id; a large one as it streams in. */
async function smallOrStream({ config }: Gateway, exchange: Exchange): Promise<Buffer | 'stream'> {
  const announced = Number(exchange.request.headers['content-length'] ?? Infinity);
  if (announced > smallBody) return 'stream';
  exchange.prefix = await readBody(exchange.request, { limit: smallBody, timeout: config.limits.bodyTimeout });
  return exchange.prefix;
}

/** The whole body, within `limits.body` and `limits.bodyTimeout`. */
export function wholeBody({ config }: Gateway, { request }: Exchange): Promise<Buffer> {
  return readBody(request, { limit: config.limits.body, timeout: config.limits.bodyTimeout });
}

/** What translation may use of the gateway, for one exchange. */
export function contextFor(gateway: Gateway, exchange: Exchange): TranslationContext {
  const { upstream, request } = exchange;
  const owner = ownerOfRequest(exchange);
  const { authorization } = request.headers;
  return {
    owner,
    limits: gateway.config.limits,
    sessions: gateway.sessions,
    tools: gateway.tools,
    log: gateway.log,
    discover: () => gateway.discoveries.get(upstream, { owner, authorization }),
    contradict: () => gateway.verdicts.contradict(upstream),
  };
}
