/**
 * Which era a client speaks, told by one request. Pure: the head and the body in, a verdict out. The order of the
 * rows is the order of evaluation; the first that matches decides (2026-07-28: basic/versioning "Backward
 * Compatibility", basic/transports/streamable-http "Server Validation"; 2025-11-25: basic/transports).
 */
import { refuse, type Refusal } from '../errors.js';
import { metaString, type Message, type ReadResult } from '../wire/jsonrpc.js';
import {
  isLegacyRevision,
  isServedModernRevision,
  legacyRevisions,
  looksModern,
  metaKeys,
  modernRevisions,
} from '../wire/meta-keys.js';
import { checkEnvelope, checkMirrors, incompleteEnvelope, mismatch, quote } from './modern-request.js';

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

const readBody: HeadDetection = { kind: 'read-body' };
const legacyMessage = { kind: 'legacy', operation: 'message' } as const;
/** Verbs of the endpoint. OPTIONS is answered before (CORS) and is no message of either era. */
const verbs: ReadonlySet<string> = new Set(['POST', 'GET', 'DELETE']);

/** Decides from the head alone where that is enough. */
export function detectFromHead(head: ClientHead, session: SessionView): HeadDetection {
  const version = head.protocolVersion;
  // Row 1.
  if (!verbs.has(head.method)) return refuse('method-not-allowed');
  // Row 2: operations on a session.
  if (head.method !== 'POST') return detectVerb(head, session);
  // Row 3.
  const wrongType = checkMediaType(head.contentType);
  if (wrongType !== undefined) return wrongType;
  // Row 7, as far as the head goes. Whoever reads the body of a translated session asks again for rows 4 to 6.
  if (session.state === 'live' && isLegacyOrAbsent(version)) return legacyMessage;
  // Rows 9 to 11, for those who forward without reading: every modern request names its method in a header. Row 8
  // comes first, so what says it is an initialize is read.
  const claims = version !== undefined && isServedModernRevision(version);
  if (claims && head.mcpMethod !== undefined && head.mcpMethod !== 'initialize')
    return { kind: 'claims-modern', revision: version };
  return readBody;
}

/** Decides with the body. */
export function detectFromBody(head: ClientHead, session: SessionView, message: ReadResult): Detection {
  const version = head.protocolVersion;
  // Rows 4 and 5.
  if (message.kind === 'malformed') return refuse(message.cell, { id: message.id, detail: message.detail });
  // Row 6.
  if (message.kind === 'batch') return detectBatch(version, session, message.elements.length);
  const id = requestId(message);
  // Rows 7 and 13: a session's era is fixed for its life.
  if (session.state === 'live' && isLegacyOrAbsent(version)) return legacyMessage;
  const claim = metaString(message, metaKeys.protocolVersion);
  // Row 8: negotiated from the body alone; the header never refuses an initialize. Where body and header claim one
  // modern revision, though, a modern client asks for a method that its era removed, and is told so as such (row 9).
  const modern = claim !== undefined && claim === version && isServedModernRevision(claim);
  if (message.kind === 'request' && message.method === 'initialize' && !modern)
    return { kind: 'legacy', operation: 'initialize' };
  // Rows 9 to 11.
  if (claim !== undefined) return detectClaim(head, claim, message);
  // Row 12.
  if (version !== undefined && looksModern(version)) return detectUnclaimed(message);
  // A live session whose header names a revision of neither era: 400 (2025-11-25, transports "Protocol Version Header"). Not
  // -32022, from which a client of both eras would conclude that the session's server is modern.
  if (session.state === 'live') return refuse('bad-header', { id, detail: unknownRevision(version) });
  // Row 14.
  return refuse(session.state === 'unknown' ? 'session-unknown' : 'initialize-first', { id });
}

/** Row 2. The modern era has no such verbs (2026-07-28, streamable-http "Earlier Streamable HTTP Revisions"). */
function detectVerb({ method, protocolVersion }: ClientHead, session: SessionView): HeadDetection {
  if (protocolVersion !== undefined && looksModern(protocolVersion))
    return refuse('method-not-allowed', {
      detail: 'a modern client sends POST only',
      headers: { allow: 'POST, OPTIONS' },
    });
  if (session.state === 'live') return { kind: 'legacy', operation: method === 'GET' ? 'get' : 'delete' };
  return refuse(session.state === 'unknown' ? 'session-unknown' : 'session-id-missing');
}

/** Row 6: only revision 2025-03-26 knows batches. */
function detectBatch(version: string | undefined, session: SessionView, elements: number): Detection {
  if (elements === 0) return refuse('not-json-rpc', { detail: 'an empty array is no batch' });
  const batches = session.state === 'live' && session.revision === '2025-03-26' && isLegacyOrAbsent(version);
  return batches ? { kind: 'legacy', operation: 'batch' } : refuse('batch-not-allowed');
}

/** Rows 9, 10 and 11: the body claims a revision, and the header has to agree before anything else counts. */
function detectClaim(head: ClientHead, claim: string, message: Message): Detection {
  const id = requestId(message);
  // Row 11.
  const detail = mismatch('MCP-Protocol-Version', head.protocolVersion, claim);
  if (detail !== undefined) return refuse('header-mismatch', { id, detail });
  // Row 10.
  if (!isServedModernRevision(claim))
    return refuse('unsupported-revision', { id, data: { supported: modernRevisions, requested: claim } });
  // Row 9. A notification has no envelope to complete, nor headers that were defined for it ("Sending Messages").
  const problem = message.kind === 'request' ? (checkEnvelope(message) ?? checkMirrors(head, message)) : undefined;
  return problem ?? { kind: 'modern', revision: claim };
}

/** Row 12: the header is modern, and the body claims nothing. */
function detectUnclaimed(message: Message): Detection {
  switch (message.kind) {
    case 'request':
      return incompleteEnvelope(message);
    case 'notification':
      return { kind: 'stray-notification' };
    case 'response':
    case 'error':
      return refuse('not-json-rpc', { detail: 'a modern client sends requests and notifications only' });
  }
}

function requestId(message: Message): string | undefined {
  return message.kind === 'request' ? message.id : undefined;
}

function isLegacyOrAbsent(version: string | undefined): boolean {
  return version === undefined || isLegacyRevision(version);
}

/** Row 3: `application/json`, in any case and with any parameters (RFC 9110 §8.3.1). */
export function checkMediaType(contentType: string | undefined): Refusal | undefined {
  const isJson = contentType !== undefined && /^\s*application\/json\s*(;|$)/i.test(contentType);
  return isJson ? undefined : refuse('unsupported-media-type', { detail: foundType(contentType) });
}

function foundType(contentType: string | undefined): string {
  return contentType === undefined ? 'there is none' : `it is ${quote(contentType)}`;
}

function unknownRevision(version = ''): string {
  return `MCP-Protocol-Version is ${quote(version)}; on a session it is one of ${legacyRevisions.join(', ')}`;
}
