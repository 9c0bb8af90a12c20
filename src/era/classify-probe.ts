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
import { idKey, readMessage, type ErrorResponse, type Response } from '../wire/jsonrpc.js';
import { isLegacyRevision, looksModern, modernRevisions, type Era } from '../wire/meta-keys.js';
import { SseDecoder } from '../wire/sse-decode.js';

/** What an upstream speaks. */
export type Speaks = Era | 'both';

/** What came back. */
export type ProbeAnswer =
  | {
      readonly kind: 'http';
      readonly status: number;
      readonly contentType: string | undefined;
      /** The value of `WWW-Authenticate`. */
      readonly challenge: string | undefined;
      /** Of an event stream, as much as was needed to see the answer. */
      readonly body: Buffer;
    }
  | { readonly kind: 'failed'; readonly cell: Cell; readonly detail?: string | undefined };

/** What was asked. */
export interface ProbeQuestion {
  /** The revision that the probe was sent in. */
  readonly revision: string;
  /** The modern revisions that could be asked in, best first. */
  readonly served: readonly string[];
  /** The credential was the gateway's own, so a refused one is not the client's business. */
  readonly ownCredential: boolean;
}

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

/** The id of the probe, as raw JSON. */
export const probeId = '"probe"';

const usualQuestion: ProbeQuestion = { revision: modernRevisions[0], served: modernRevisions, ownCredential: false };

/** Statuses of servers that do not know what they were asked, with a body that is no JSON-RPC. */
const clueless: ReadonlySet<number> = new Set([400, 404, 405, 406, 415, 422]);

/** Statuses that say "not now" or "not here", whatever the body. */
const notNow: ReadonlySet<number> = new Set([408, 421, 425, 429]);

/** Judges one answer to the probe. */
export function classifyProbe(answer: ProbeAnswer, question: ProbeQuestion = usualQuestion): ProbeVerdict {
  if (answer.kind === 'failed') return none(refuse(answer.cell, { detail: answer.detail }));
  const { status } = answer;
  if (status === 401 || status === 403) return none(challenged(status, answer.challenge, question));
  if (status >= 300 && status < 400) return none(refuse('upstream-redirect'));
  if (status >= 500 || notNow.has(status)) return none(failed(status));
  const message = answerIn(answer.contentType, answer.body);
  if (message?.kind === 'response') return judgeResult(message);
  if (message?.kind === 'error') return judgeError(message, question);
  // Plain text, HTML, an empty body, a foreign envelope: no modern server answers so.
  return status < 300 || clueless.has(status) ? verdict('legacy') : none(failed(status));
}

function none(refusal: Refusal): ProbeVerdict {
  return { kind: 'none', refusal };
}

function failed(status: number): Refusal {
  return refuse('upstream-failed', { detail: `HTTP ${status} to the probe` });
}

/** A challenge goes to the client whose credential it is about. */
function challenged(status: 401 | 403, challenge: string | undefined, { ownCredential }: ProbeQuestion): Refusal {
  if (ownCredential) return refuse('upstream-credential', { detail: `HTTP ${status} to the probe` });
  const headers = challenge === undefined ? undefined : { 'www-authenticate': challenge };
  return refuse(status === 401 ? 'upstream-auth' : 'upstream-forbidden', { headers });
}

/** The answer to the probe in a body, framed as JSON or as an event stream. */
export function answerIn(contentType: string | undefined, body: Buffer): Response | ErrorResponse | undefined {
  if (!isEventStream(contentType)) return readAnswer(body);
  const decoder = new SseDecoder();
  const events = [...decoder.push(body), ...decoder.end()].filter((event) => event.hasData);
  for (const { data } of events) {
    const answer = readAnswer(data);
    if (answer !== undefined) return answer;
  }
  // Some servers label bare JSON as an event stream.
  return events.length === 0 ? readAnswer(body) : undefined;
}

/** Whether a media type is that of event streams. */
export function isEventStream(contentType: string | undefined): boolean {
  return contentType !== undefined && /^\s*text\/event-stream\s*(;|$)/i.test(contentType);
}

/**
 * The answer to the probe, if `bytes` are that. A server that could not read the probe has no id for its error; any
 * other id is someone else's answer.
 */
export function readAnswer(bytes: Buffer): Response | ErrorResponse | undefined {
  const message = readMessage(bytes);
  if (message.kind !== 'response' && message.kind !== 'error') return undefined;
  return message.id === undefined || idKey(message.id) === probeId ? message : undefined;
}

/** A DiscoverResult with a modern revision is modern; with a legacy one besides, both. */
function judgeResult({ bytes, result }: Response): ProbeVerdict {
  const revisions = strings(bytes, memberAt(bytes, result, ['supportedVersions'])?.value);
  const speaks = speaksBy(revisions);
  if (speaks === 'legacy') return verdict('legacy', revisions);
  return { kind: 'verdict', speaks, revisions, discovered: bytes.subarray(result.start, result.end) };
}

/** Only the final codes count; those of drafts are never an era signal (docs/era-matrix.md). */
function judgeError({ bytes, error }: ErrorResponse, question: ProbeQuestion): ProbeVerdict {
  const code = findMember(objectMembers(bytes, error), 'code')?.value;
  switch (code && Number(rawText(bytes, code))) {
    case -32022:
      return judgeUnsupported(strings(bytes, memberAt(bytes, error, ['data', 'supported'])?.value), question);
    case -32020:
    case -32021:
      return verdict('modern');
    default:
      return verdict('legacy');
  }
}

/** −32022: worth another try if it names another revision that we speak. */
function judgeUnsupported(supported: readonly string[], { revision, served }: ProbeQuestion): ProbeVerdict {
  const other = served.find((one) => one !== revision && supported.includes(one));
  return other === undefined ? verdict(speaksBy(supported), supported) : { kind: 'retry', revision: other };
}

function speaksBy(revisions: readonly string[]): Speaks {
  if (!revisions.some(looksModern)) return 'legacy';
  return revisions.some(isLegacyRevision) ? 'both' : 'modern';
}

function verdict(speaks: Speaks, revisions: readonly string[] = []): ProbeVerdict {
  return { kind: 'verdict', speaks, revisions, discovered: undefined };
}

/** The strings of an array; nothing where there is none. */
function strings(bytes: Buffer, span: Span | undefined): string[] {
  if (span === undefined || kindOf(bytes, span) !== 'array') return [];
  return arrayElements(bytes, span)
    .filter((element) => kindOf(bytes, element) === 'string')
    .map((element) => stringValue(bytes, element));
}
