import { bomLength, byte, skipSpace, skipString, skipValue, type Span } from './json-scan.js';
import { checkJson } from './json-check.js';
import { kindOf, rawText } from './json-members.js';

/** What can be told of a message from its first bytes. */
export interface Peeked {
  /** The raw JSON of the id. */
  id?: string;
  method?: string;
}

/**
 * Looks for the top-level `id` and `method` of a message of which only the first bytes may be there, and which may
 * not be valid: for the answers and the labels of streams that are never parsed. What it finds is a sound id (safe
 * to write into an answer) and a sound string; a value that is cut off is not found. The first of twins counts.
 * Never throws.
 */
export function peek(prefix: Buffer): Peeked {
  const found: Peeked = {};
  let i = skipSpace(prefix, bomLength(prefix));
  if (prefix[i] !== byte.openObject) return found;
  i = skipSpace(prefix, i + 1);
  while (prefix[i] === byte.quote && (found.id === undefined || found.method === undefined)) {
    const key = { start: i, end: skipString(prefix, i) };
    if (key.end === -1) break;
    const colon = skipSpace(prefix, key.end);
    if (prefix[colon] !== byte.colon) break;
    const start = skipSpace(prefix, colon + 1);
    const end = skipValue(prefix, start);
    if (end === -1 || end === prefix.length) break; // a number may go on behind the last byte
    take(found, prefix, key, { start, end });
    i = skipSpace(prefix, end);
    if (prefix[i] !== byte.comma) break;
    i = skipSpace(prefix, i + 1);
  }
  return found;
}

function take(found: Peeked, prefix: Buffer, key: Span, value: Span): void {
  const name = keyOf(prefix, key);
  if (name === 'id' && found.id === undefined && isId(prefix, value)) found.id = rawText(prefix, value);
  if (name !== 'method' || found.method !== undefined) return;
  const method = soundString(prefix, value);
  if (method !== undefined) found.method = method;
}

/** A key without escapes needs no check: if it is unsound, it is none of ours. */
function keyOf(bytes: Buffer, key: Span): string | undefined {
  const raw = rawText(bytes, key);
  return raw.includes('\\') ? soundString(bytes, key) : raw.slice(1, -1);
}

function isId(bytes: Buffer, value: Span): boolean {
  return soundString(bytes, value) !== undefined || /^-?(0|[1-9]\d*)$/.test(rawText(bytes, value));
}

/** The string at `span` if it is a whole and valid one. */
function soundString(bytes: Buffer, span: Span): string | undefined {
  if (kindOf(bytes, span) !== 'string') return undefined;
  return checkJson(bytes.subarray(span.start, span.end)).kind === 'valid'
    ? (JSON.parse(rawText(bytes, span)) as string)
    : undefined;
}
