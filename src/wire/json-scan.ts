/**
 * Skipping over JSON text that is known to be valid: no checks, only boundaries. On text that is cut short the
 * functions answer -1 and never read or run past the end, so `peek` may use them on a prefix too.
 */

/** A byte range, `end` exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** The bytes that give JSON its structure (RFC 8259 §2). */
export const byte = {
  quote: 0x22,
  comma: 0x2c,
  minus: 0x2d,
  colon: 0x3a,
  openArray: 0x5b,
  backslash: 0x5c,
  closeArray: 0x5d,
  openObject: 0x7b,
  closeObject: 0x7d,
} as const;

/** Beyond this many bytes of one string, a native search is cheaper than a loop. */
const longString = 48;

/** Length of a leading UTF-8 byte order mark: RFC 8259 §8.1 lets a reader ignore one. */
export function bomLength(bytes: Buffer): number {
  return bytes.length >= 3 && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
}

/** The first index from `i` on that is not white space (RFC 8259 §2); may be `bytes.length`. */
export function skipSpace(bytes: Buffer, i: number): number {
  while (i < bytes.length) {
    const c = bytes[i]!;
    if (c > 0x20 || (c !== 0x20 && c !== 0x0a && c !== 0x0d && c !== 0x09)) break;
    i++;
  }
  return i;
}

/** 1 for the bytes that stand for themselves within a string (RFC 8259 §7): all but controls, `"` and the backslash. */
const plain = Uint8Array.from({ length: 256 }, (_, c) =>
  c >= 0x20 && c !== byte.quote && c !== byte.backslash ? 1 : 0,
);

/**
 * The first index from `i` on, `end` at most, whose byte does not stand for itself within a string. Most of JSON is
 * strings, hence four bytes at a time.
 */
export function skipPlain(bytes: Buffer, i: number, end: number): number {
  const last = end - 4;
  while (i <= last && (plain[bytes[i]!]! & plain[bytes[i + 1]!]! & plain[bytes[i + 2]!]! & plain[bytes[i + 3]!]!) === 1)
    i += 4;
  while (i < end && plain[bytes[i]!] === 1) i++;
  return i;
}

/** The index after the string whose opening quote is at `i`, or -1. */
export function skipString(bytes: Buffer, i: number): number {
  const soon = Math.min(++i + longString, bytes.length);
  while (i < soon) {
    const c = bytes[i++]!;
    if (c === byte.quote) return i;
    if (c === byte.backslash) i++;
  }
  return i < bytes.length ? skipLongString(bytes, i) : -1;
}

/** The same from within a string, `i` at the start of a character or an escape. */
function skipLongString(bytes: Buffer, i: number): number {
  let quote = bytes.indexOf(byte.quote, i);
  while (quote !== -1 && isEscaped(bytes, i, quote)) quote = bytes.indexOf(byte.quote, quote + 1);
  return quote === -1 ? -1 : quote + 1;
}

/** Whether an odd run of backslashes, none of them before `from`, leads up to `at`. */
function isEscaped(bytes: Buffer, from: number, at: number): boolean {
  let first = at;
  while (first > from && bytes[first - 1] === byte.backslash) first--;
  return (at - first) % 2 === 1;
}

/** The index after the value that starts at `i`, or -1. A number or literal that meets the end of the text is whole. */
export function skipValue(bytes: Buffer, i: number): number {
  const c = bytes[i];
  if (c === byte.quote) return skipString(bytes, i);
  return c === byte.openObject || c === byte.openArray ? skipContainer(bytes, i) : skipWord(bytes, i);
}

function skipContainer(bytes: Buffer, i: number): number {
  let depth = 0;
  while (i < bytes.length) {
    const c = bytes[i]!;
    if (c === byte.quote) {
      i = skipString(bytes, i);
      if (i === -1) return -1;
      continue;
    }
    i++;
    if (c < byte.openArray) continue; // all brackets stand above most else
    // `[` and `{`, `]` and `}` differ in one bit (0x20) only.
    if ((c | 0x20) === byte.openObject) depth++;
    else if ((c | 0x20) === byte.closeObject && --depth === 0) return i;
  }
  return -1;
}

/** A number or a literal: up to white space or structure. */
function skipWord(bytes: Buffer, i: number): number {
  while (i < bytes.length) {
    const c = bytes[i]!;
    if (c <= 0x20 || c === byte.comma || (c | 0x20) === byte.closeObject) break;
    i++;
  }
  return i;
}
