/**
 * What an upstream's answer to the probe (`server/discover`) says about its era. Pure; the table is that of
 * docs/era-matrix.md (2026-07-28: basic/versioning "Backward Compatibility", streamable-http likewise).
 */
import { refuse, type Cell, type Refusal } from '../errors.js';
import {
  arrayElements,
  findMember,
  kindOf,
  memberAt,
  objectMembers,
  rawText,
  stringValue,
  type Span,
} from '../wire/json.js';
import { readMessage, type Message } from '../wire/jsonrpc.js';
import { isLegacyRevision, isServedModernRevision, looksModern, modernRevisions, type Era } from '../wire/meta-keys.js';
import { SseDecoder } from '../wire/sse-decode.js';

/** What an upstream speaks. */
export type Speaks = Era | 'both';

/** What came back. */
export type ProbeAnswer =
  | {
      readonly kind: 'http';
      readonly status: number;
      readonly contentType: string | undefined;
      readonly challenge: string | undefined;
      readonly body: Buffer;
    }
  | { readonly kind: 'failed'; readonly cell: Cell };

/** A verdict, or why there is none. */
export type ProbeVerdict =
  | {
      readonly kind: 'verdict';
      readonly speaks: Speaks;
      /** As the upstream named them; empty where it named none. */
      readonly revisions: readonly string[];
      /** The raw DiscoverResult, where there was one. */
      readonly discovered: Buffer | undefined;
    }
  /** Modern, but asked in the wrong revision: ask again in this one. */
  | { readonly kind: 'retry'; readonly revision: string }
  | { readonly kind: 'none'; readonly refusal: Refusal };

/** Judges one answer to the probe. */
export function classifyProbe(answer: ProbeAnswer): ProbeVerdict {
  if (answer.kind === 'failed') return { kind: 'none', refusal: refuse(answer.cell) };
  const { status } = answer;
  if (status === 401 || status === 403) return { kind: 'none', refusal: challenged(status, answer.challenge) };
  if (status >= 500)
    return { kind: 'none', refusal: refuse('upstream-failed', { detail: `HTTP ${status} to the probe` }) };
  if (status >= 300 && status < 400) return { kind: 'none', refusal: refuse('upstream-redirect') };
  if (status === 429) return { kind: 'none', refusal: refuse('upstream-failed', { detail: 'HTTP 429 to the probe' }) };
  const message = messageIn(answer.contentType, answer.body);
  if (message?.kind === 'response') return judgeResult(message.bytes, message.result);
  if (message?.kind === 'error') return judgeError(message.bytes, message.error);
  // Plain text, HTML, an empty body, a foreign envelope: no modern server answers so.
  return verdict('legacy');
}

function challenged(status: number, challenge: string | undefined): Refusal {
  const headers = challenge === undefined ? undefined : { 'www-authenticate': challenge };
  return refuse(status === 401 ? 'upstream-auth' : 'upstream-forbidden', { headers });
}

/** The JSON-RPC answer in a body, framed as JSON or as an event stream. */
function messageIn(contentType: string | undefined, body: Buffer): Message | undefined {
  const framed = /^text\/event-stream\b/i.test(contentType ?? '');
  const candidates = framed ? eventsOf(body) : [body];
  for (const candidate of candidates) {
    const read = readMessage(candidate);
    if (read.kind === 'response' || read.kind === 'error') return read;
  }
  return undefined;
}

function eventsOf(body: Buffer): Buffer[] {
  const decoder = new SseDecoder();
  const events = [...decoder.push(body), ...decoder.end()].filter((event) => event.hasData);
  // Some servers label bare JSON as an event stream.
  return events.length > 0 ? events.map((event) => event.data) : [body];
}

/** A DiscoverResult with a modern revision is modern; with a legacy one besides, both. */
function judgeResult(bytes: Buffer, result: Span): ProbeVerdict {
  const revisions = strings(bytes, memberAt(bytes, result, ['supportedVersions'])?.value);
  if (!revisions.some(looksModern)) return verdict('legacy');
  const speaks = revisions.some(isLegacyRevision) ? 'both' : 'modern';
  return { kind: 'verdict', speaks, revisions, discovered: bytes.subarray(result.start, result.end) };
}

/** Only the final codes count; those of drafts are never an era signal. */
function judgeError(bytes: Buffer, error: Span): ProbeVerdict {
  const members = objectMembers(bytes, error);
  const code = findMember(members, 'code');
  switch (code && rawText(bytes, code.value)) {
    case '-32022':
      return judgeUnsupported(strings(bytes, memberAt(bytes, error, ['data', 'supported'])?.value));
    case '-32020':
    case '-32021':
      return verdict('modern');
    default:
      return verdict('legacy');
  }
}

/** −32022: modern if it names a modern revision; worth another try if that is one we speak. */
function judgeUnsupported(supported: readonly string[]): ProbeVerdict {
  const revision = supported.find((one) => isServedModernRevision(one) && one !== modernRevisions[0]);
  if (revision !== undefined) return { kind: 'retry', revision };
  const speaks = supported.some(looksModern) ? 'modern' : 'legacy';
  return { kind: 'verdict', speaks, revisions: supported, discovered: undefined };
}

function verdict(speaks: Speaks): ProbeVerdict {
  return { kind: 'verdict', speaks, revisions: [], discovered: undefined };
}

/** The strings of an array; nothing where there is none. */
function strings(bytes: Buffer, span: Span | undefined): string[] {
  if (span === undefined || kindOf(bytes, span) !== 'array') return [];
  return arrayElements(bytes, span)
    .filter((element) => kindOf(bytes, element) === 'string')
    .map((element) => stringValue(bytes, element));
}
