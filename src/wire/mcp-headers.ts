import { isUtf8 } from 'node:buffer';
import { paramString, type Notification, type Request } from './jsonrpc.js';

/** The `Mcp-*` request headers of the modern era (2026-07-28, basic/transports/streamable-http). */

/** Both ends are case-sensitive ("Value Encoding"). */
const prefix = '=?base64?';
const suffix = '?=';

/** Nothing, or tab, space and visible ASCII with no white space at the ends (RFC 9110 §5.5). */
const plain = /^(?:[!-~](?:[\t -~]*[!-~])?)?$/;

/** Base64 with padding (RFC 4648 §4) between the two ends, which do not share their question mark. */
const sentinel = /^=\?base64\?((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)\?=$/;

/** Whether a reader might take `value` for a sentinel, well-formed or not. */
function looksEncoded(value: string): boolean {
  return value.startsWith(prefix) && value.endsWith(suffix);
}

/**
 * A header value for `text`: itself, or base64 in the sentinel where it would not be safe as a header value or
 * would be taken for a sentinel. A lone surrogate, which UTF-8 lacks, becomes U+FFFD.
 */
export function encodeHeaderValue(text: string): string {
  if (plain.test(text) && !looksEncoded(text)) return text;
  return `${prefix}${Buffer.from(text).toString('base64')}${suffix}`;
}

/** What a header value stands for, or why it stands for nothing. */
export type DecodedHeader = { kind: 'value'; value: string } | { kind: 'invalid'; reason: string };

/**
 * The text that a header value stands for. White space around it is no part of it (RFC 9110 §5.5); within the
 * sentinel, base64 and UTF-8 must be exact, so that no two readers see two texts.
 */
export function decodeHeaderValue(value: string): DecodedHeader {
  const text = trimSpace(value);
  if (!plain.test(text)) return { kind: 'invalid', reason: 'a character that is not visible ASCII, space or tab' };
  if (!looksEncoded(text)) return { kind: 'value', value: text };
  const encoded = sentinel.exec(text)?.[1];
  const bytes = Buffer.from(encoded ?? '', 'base64');
  // The bits that the last digit leaves unused must be zero, or one text had several spellings (RFC 4648 §3.5).
  if (encoded === undefined || bytes.toString('base64') !== encoded)
    return { kind: 'invalid', reason: 'broken base64 within =?base64?…?=' };
  if (!isUtf8(bytes)) return { kind: 'invalid', reason: 'no UTF-8 within =?base64?…?=' };
  return { kind: 'value', value: bytes.toString('utf8') };
}

/** A loop, since a pattern for the end of the text would try every run of spaces within it. */
function trimSpace(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isSpace(text[start])) start++;
  while (end > start && isSpace(text[end - 1])) end--;
  return text.slice(start, end);
}

function isSpace(character: string | undefined): boolean {
  return character === ' ' || character === '\t';
}

/** What `Mcp-Name` mirrors ("Standard Request Headers"; for tasks: the tasks extension). */
const nameParams = new Map<string, 'name' | 'uri' | 'taskId'>([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
  ['tasks/get', 'taskId'],
  ['tasks/update', 'taskId'],
  ['tasks/cancel', 'taskId'],
]);

/** The member of `params` that `Mcp-Name` mirrors for this method; undefined where there is no such header. */
export function nameParamOf(method: string): 'name' | 'uri' | 'taskId' | undefined {
  return nameParams.get(method);
}

/** `mcp-method`, and `mcp-name` where the method has one and the member is a string, for an outgoing message. */
export function standardHeaders(message: Request | Notification): Record<string, string> {
  const headers: Record<string, string> = { 'mcp-method': encodeHeaderValue(message.method) };
  const param = nameParamOf(message.method);
  const name = param && paramString(message, param);
  if (name !== undefined) headers['mcp-name'] = encodeHeaderValue(name);
  return headers;
}
