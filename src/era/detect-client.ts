/**
 * Which era a client speaks, told by one request. Pure: the head and the body in, a verdict out. The order of the
 * rows is the order of evaluation; the first that matches decides (2026-07-28: basic/versioning "Backward
 * Compatibility", basic/transports/streamable-http "Server Validation"; 2025-11-25: basic/transports).
 */
import { refuse, type Refusal } from '../errors.js';
import { findMember, kindOf, objectMembers } from '../wire/json.js';
import { metaString, paramString, type Message, type ReadResult, type Request } from '../wire/jsonrpc.js';
import { decodeHeaderValue, nameParamOf } from '../wire/mcp-headers.js';
import {
  isLegacyRevision,
  isServedModernRevision,
  legacyRevisions,
  looksModern,
  metaKeys,
  modernRevisions,
} from '../wire/meta-keys.js';

/** The parts of a request's head that say who is speaking; header values as they came. */
export interface ClientHead {
  readonly method: string;
  readonly contentType: string | undefined;
  readonly protocolVersion: string | undefined;
  readonly mcpMethod: string | undefined;
  readonly mcpName: string | undefined;
}

/** What is known of the session that the request names: only its owner's live session is `live`. */
export type SessionView =
  | { readonly state: 'none' | 'unknown' }
  /** `revision` is what was negotiated, where we know it. */
  | { readonly state: 'live'; readonly revision: string | undefined };

/** What a legacy client is doing. */
export type LegacyOperation = 'initialize' | 'message' | 'batch' | 'get' | 'delete';

/** The outcome of detection. */
export type Detection =
  | { readonly kind: 'modern'; readonly revision: string }
  | { readonly kind: 'legacy'; readonly operation: LegacyOperation }
  /** A notification whose header is modern and whose body is not: accepted, and meant for nobody. */
  | { readonly kind: 'stray-notification' }
  | Refusal;

/** The outcome of looking at the head alone. */
export type HeadDetection =
  | { readonly kind: 'legacy'; readonly operation: 'message' | 'get' | 'delete' }
  /** The headers alone name a modern revision that we serve: the body need not be read to pass it through. */
  | { readonly kind: 'claims-modern'; readonly revision: string }
  | { readonly kind: 'read-body' }
  | Refusal;

const verbs: ReadonlySet<string> = new Set(['POST', 'GET', 'DELETE']);

/** Decides from the head alone where that is enough. OPTIONS was answered before (CORS). */
export function detectFromHead(head: ClientHead, session: SessionView): HeadDetection {
  const version = head.protocolVersion;
  // Row 1.
  if (!verbs.has(head.method)) return refuse('method-not-allowed');
  // Row 2: operations on a session, which the modern era does not have.
  if (head.method !== 'POST') return detectVerb(head, session);
  // Row 3.
  if (!isJson(head.contentType)) return refuse('unsupported-media-type', { detail: foundType(head.contentType) });
  // Row 7, as far as the head goes: a session's era is fixed for its life.
  if (session.state === 'live' && isLegacyOrAbsent(version)) return { kind: 'legacy', operation: 'message' };
  // Rows 9 to 11, for those who forward without reading: every modern request names its method in a header.
  const claims = version !== undefined && isServedModernRevision(version);
  if (claims && head.mcpMethod !== undefined && head.mcpMethod !== 'initialize')
    return { kind: 'claims-modern', revision: version };
  return { kind: 'read-body' };
}

/** Decides with the body. */
export function detectFromBody(head: ClientHead, session: SessionView, message: ReadResult): Detection {
  // Rows 4 and 5.
  if (message.kind === 'malformed') return refuse(message.cell, { id: message.id, detail: message.detail });
  // Row 6: only revision 2025-03-26 knows batches.
  if (message.kind === 'batch') return detectBatch(session, message.elements.length);
  const id = requestId(message);
  const version = head.protocolVersion;
  // Rows 7 and 13.
  if (session.state === 'live') {
    if (isLegacyOrAbsent(version)) return { kind: 'legacy', operation: 'message' };
    const detail = `MCP-Protocol-Version on a session names one of ${legacyRevisions.join(', ')}`;
    return refuse('bad-header', { id, detail });
  }
  // Row 8: negotiated from the body alone; the header never refuses an initialize.
  if (message.kind === 'request' && message.method === 'initialize') return { kind: 'legacy', operation: 'initialize' };
  // Rows 9 to 11.
  const claim = metaString(message, metaKeys.protocolVersion);
  if (claim !== undefined) return detectClaim(head, claim, message);
  // Row 12.
  if (version !== undefined && looksModern(version)) {
    if (message.kind === 'notification') return { kind: 'stray-notification' };
    if (message.kind === 'request')
      return incomplete(message, [metaKeys.protocolVersion, ...missingCapabilities(message)]);
  }
  // Row 14.
  return refuse(session.state === 'unknown' ? 'session-unknown' : 'initialize-first', { id });
}

function detectVerb(head: ClientHead, session: SessionView): HeadDetection {
  if (head.protocolVersion !== undefined && looksModern(head.protocolVersion)) return refuse('get-not-offered');
  if (session.state === 'live') return { kind: 'legacy', operation: head.method === 'GET' ? 'get' : 'delete' };
  return refuse(session.state === 'unknown' ? 'session-unknown' : 'session-id-missing');
}

function detectBatch(session: SessionView, elements: number): Detection {
  if (elements === 0) return refuse('not-json-rpc', { detail: 'an empty array is no batch' });
  if (session.state === 'live' && session.revision === '2025-03-26') return { kind: 'legacy', operation: 'batch' };
  return refuse('batch-not-allowed');
}

/** Rows 9, 10 and 11: the body claims a revision, and the header has to agree before anything else counts. */
function detectClaim(head: ClientHead, claim: string, message: Message): Detection {
  const id = requestId(message);
  const version = mismatch('MCP-Protocol-Version', head.protocolVersion?.trim(), claim);
  if (version !== undefined) return refuse('header-mismatch', { id, detail: version });
  if (!isServedModernRevision(claim))
    return refuse('unsupported-revision', { id, data: { supported: modernRevisions, requested: claim } });
  const problem = message.kind === 'request' ? (checkEnvelope(message) ?? checkHeaders(head, message)) : undefined;
  return problem ?? { kind: 'modern', revision: claim };
}

/** The envelope's other members (2026-07-28, basic/index `_meta`): capabilities are required, clientInfo is not. */
function checkEnvelope(request: Request): Refusal | undefined {
  const missing = missingCapabilities(request);
  if (missing.length > 0) return incomplete(request, missing);
  return hasFitClientInfo(request) ? undefined : incomplete(request, [metaKeys.clientInfo]);
}

function missingCapabilities(request: Request): string[] {
  return metaMember(request, metaKeys.clientCapabilities)?.kind === 'object' ? [] : [metaKeys.clientCapabilities];
}

/** Whether clientInfo is absent, or has a name and a version. */
function hasFitClientInfo(request: Request): boolean {
  const info = metaMember(request, metaKeys.clientInfo);
  if (info === undefined) return true;
  if (info.kind !== 'object') return false;
  const members = objectMembers(request.bytes, info.span);
  return ['name', 'version'].every((key) => {
    const member = findMember(members, key);
    return member !== undefined && kindOf(request.bytes, member.value) === 'string';
  });
}

function metaMember(request: Request, key: string) {
  if (request.meta === undefined) return undefined;
  const member = findMember(objectMembers(request.bytes, request.meta), key);
  return member && { span: member.value, kind: kindOf(request.bytes, member.value) };
}

function incomplete(request: Request, keys: readonly string[]): Refusal {
  const detail = `params._meta needs ${keys.map((key) => `"${key}"`).join(' and ')}`;
  return refuse('envelope-incomplete', { id: request.id, detail });
}

/** Mcp-Method and Mcp-Name against the body. */
function checkHeaders(head: ClientHead, request: Request): Refusal | undefined {
  const detail = mismatch('Mcp-Method', head.mcpMethod?.trim(), request.method) ?? checkName(head, request);
  return detail === undefined ? undefined : refuse('header-mismatch', { id: request.id, detail });
}

/** A body without the mirrored member is left to whoever checks parameters. */
function checkName(head: ClientHead, request: Request): string | undefined {
  const param = nameParamOf(request.method);
  const wanted = param && paramString(request, param);
  if (wanted === undefined) return undefined;
  if (head.mcpName === undefined) return mismatch('Mcp-Name', undefined, wanted);
  const decoded = decodeHeaderValue(head.mcpName);
  if (decoded.kind === 'invalid') return `the Mcp-Name header has ${decoded.reason}`;
  return mismatch('Mcp-Name', decoded.value, wanted);
}

function mismatch(header: string, found: string | undefined, wanted: string): string | undefined {
  if (found === wanted) return undefined;
  const state = found === undefined ? 'is missing' : `is ${quote(found)}`;
  return `the ${header} header ${state}, the body says ${quote(wanted)}`;
}

function requestId(message: Message): string | undefined {
  return message.kind === 'request' ? message.id : undefined;
}

/** A client's text in a sentence of ours, bounded. */
function quote(value: string): string {
  return JSON.stringify(value.length > 100 ? `${value.slice(0, 100)}…` : value);
}

function isLegacyOrAbsent(version: string | undefined): boolean {
  return version === undefined || isLegacyRevision(version);
}

/** `application/json`, in any case and with any parameters (RFC 9110 §8.3.1). */
function isJson(contentType: string | undefined): boolean {
  return contentType !== undefined && /^\s*application\/json\s*(;|$)/i.test(contentType);
}

function foundType(contentType: string | undefined): string {
  return contentType === undefined ? 'there is none' : `it is ${quote(contentType)}`;
}
