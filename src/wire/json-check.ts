import { isUtf8 } from 'node:buffer';
import { bomLength, byte, skipPlain, skipSpace, type Span } from './json-scan.js';

/** Whether a document is JSON: `root` is its value without surrounding white space; `offset` is where it went wrong. */
export type Checked = { kind: 'valid'; root: Span } | { kind: 'invalid'; offset: number; reason: string };

/**
 * Checks a whole document against RFC 8259 in one pass: UTF-8 (§8.1; a leading byte order mark is ignored), one
 * value, nothing behind it, at most `maxDepth` arrays and objects within each other (§9 allows a limit).
 *
 * The scanners below answer the index after what they read, or the complement (`~`) of the offset at which it
 * went wrong: a number needs no allocation.
 */
export function checkJson(bytes: Buffer, maxDepth = 512): Checked {
  if (!isUtf8(bytes)) return { kind: 'invalid', offset: firstBadUtf8(bytes), reason: 'invalid UTF-8' };
  const start = skipSpace(bytes, bomLength(bytes));
  const outer: number[] = []; // what closes the containers around the innermost one
  let close = 0; // what closes the innermost open container; 0 outside of all
  let i = start;
  for (;;) {
    // A value is due at i.
    const c = bytes[i];
    if (c === byte.openObject || c === byte.openArray) {
      if (outer.length >= maxDepth) return { kind: 'invalid', offset: i, reason: `nested deeper than ${maxDepth}` };
      outer.push(close);
      close = c + 2; // `{` → `}`, `[` → `]`
      i = skipSpace(bytes, i + 1);
      if (bytes[i] !== close) {
        if (close === byte.closeObject && (i = scanKey(bytes, i)) < 0) return unexpected(bytes, ~i);
        continue;
      }
    } else if ((i = scanScalar(bytes, i)) < 0) {
      return unexpected(bytes, ~i);
    } else {
      if (close === 0) return wholeDocument(bytes, start, i);
      i = skipSpace(bytes, i);
    }
    while (bytes[i] === close) {
      close = outer.pop()!;
      if (close === 0) return wholeDocument(bytes, start, i + 1);
      i = skipSpace(bytes, i + 1);
    }
    if (bytes[i] !== byte.comma) return unexpected(bytes, i);
    i = skipSpace(bytes, i + 1);
    if (close === byte.closeObject && (i = scanKey(bytes, i)) < 0) return unexpected(bytes, ~i);
  }
}

function wholeDocument(bytes: Buffer, start: number, end: number): Checked {
  const next = skipSpace(bytes, end);
  return next === bytes.length ? { kind: 'valid', root: { start, end } } : unexpected(bytes, next);
}

function unexpected(bytes: Buffer, offset: number): Checked {
  const c = bytes[offset];
  if (c === undefined) return { kind: 'invalid', offset, reason: 'unexpected end' };
  const shown = c > 0x20 && c < 0x7f ? String.fromCharCode(c) : `byte 0x${c.toString(16).padStart(2, '0')}`;
  return { kind: 'invalid', offset, reason: `unexpected ${shown}` };
}

/** Only on the way to a refusal: decoding writes U+FFFD where the bytes are bad, so the first difference is the place. */
function firstBadUtf8(bytes: Buffer): number {
  const decoded = Buffer.from(bytes.toString('utf8'));
  let i = 0;
  while (i < bytes.length && bytes[i] === decoded[i]) i++;
  return i;
}

/** A member's key, its colon and the white space around that. */
function scanKey(bytes: Buffer, i: number): number {
  if (bytes[i] !== byte.quote) return ~i;
  i = scanString(bytes, i);
  if (i < 0) return i;
  i = skipSpace(bytes, i);
  return bytes[i] === byte.colon ? skipSpace(bytes, i + 1) : ~i;
}

const literals = new Map(['true', 'false', 'null'].map((word) => [word.charCodeAt(0), Buffer.from(word)]));

function scanScalar(bytes: Buffer, i: number): number {
  const c = bytes[i];
  if (c === undefined) return ~i;
  if (c === byte.quote) return scanString(bytes, i);
  if (c === byte.minus || isDigit(c)) return scanNumber(bytes, i);
  const literal = literals.get(c);
  return literal === undefined ? ~i : scanLiteral(bytes, i, literal);
}

function scanLiteral(bytes: Buffer, i: number, literal: Buffer): number {
  for (let n = 0; n < literal.length; n++, i++) if (bytes[i] !== literal[n]) return ~i;
  return i;
}

/** A string from its opening quote on. */
function scanString(bytes: Buffer, i: number): number {
  const { length } = bytes;
  i++;
  for (;;) {
    i = skipPlain(bytes, i, length);
    if (i === length) return ~i;
    if (bytes[i] === byte.quote) return i + 1;
    if (bytes[i] !== byte.backslash) return ~i;
    i = scanEscape(bytes, i + 1);
    if (i < 0) return i;
  }
}

/** `"\/bfnrt` */
const shortEscapes = new Set(Buffer.from('"\\/bfnrt'));

/** What follows a backslash. A lone surrogate (`\ud800`) is within the grammar, so it stands. */
function scanEscape(bytes: Buffer, i: number): number {
  const c = bytes[i];
  if (c === undefined) return ~i;
  if (shortEscapes.has(c)) return i + 1;
  if (c !== 0x75 /* u */) return ~i;
  for (let n = 1; n <= 4; n++) if (!isHexDigit(bytes[i + n])) return ~Math.min(i + n, bytes.length);
  return i + 5;
}

/** A number (RFC 8259 §6). */
function scanNumber(bytes: Buffer, i: number): number {
  if (bytes[i] === byte.minus) i++;
  if (bytes[i] === 0x30 /* 0 */) i++;
  else if ((i = scanDigits(bytes, i)) < 0) return i;
  if (bytes[i] === 0x2e /* . */ && (i = scanDigits(bytes, i + 1)) < 0) return i;
  if (((bytes[i] ?? 0) | 0x20) === 0x65 /* e */) {
    i++;
    if (bytes[i] === 0x2b /* + */ || bytes[i] === byte.minus) i++;
    i = scanDigits(bytes, i);
  }
  return i;
}

/** One digit or more. */
function scanDigits(bytes: Buffer, i: number): number {
  if (!isDigit(bytes[i])) return ~i;
  do i++;
  while (isDigit(bytes[i]));
  return i;
}

function isDigit(c: number | undefined): boolean {
  return c !== undefined && c >= 0x30 && c <= 0x39;
}

function isHexDigit(c: number | undefined): boolean {
  return c !== undefined && (isDigit(c) || ((c | 0x20) >= 0x61 && (c | 0x20) <= 0x66));
}
