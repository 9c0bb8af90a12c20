import { byte, skipSpace, skipString, skipValue, type Span } from './json-scan.js';

/**
 * Looking into one level of a document that passed `checkJson`, without building the rest. Arrays and spans only:
 * no object is ever keyed by what a client sent, so `__proto__` is a key like any other.
 */

/** One member of an object: its key with escapes resolved, where the key stands (quotes included) and its value. */
export interface Member {
  readonly key: string;
  readonly keySpan: Span;
  readonly value: Span;
}

/** The type of a JSON value; the two booleans are kept apart. */
export type JsonKind = 'object' | 'array' | 'string' | 'number' | 'true' | 'false' | 'null';

const kinds = new Map<number, JsonKind>([
  [byte.openObject, 'object'],
  [byte.openArray, 'array'],
  [byte.quote, 'string'],
  [0x74, 'true'],
  [0x66, 'false'],
  [0x6e, 'null'],
]);

/** The type of the value at `span`. */
export function kindOf(bytes: Buffer, span: Span): JsonKind {
  return kinds.get(bytes[span.start]!) ?? 'number';
}

/** The members of the object at `span`, in order, duplicates kept. Throws TypeError if it is no object. */
export function objectMembers(bytes: Buffer, span: Span): Member[] {
  expectKind(bytes, span, 'object');
  const members: Member[] = [];
  let i = skipSpace(bytes, span.start + 1);
  while (bytes[i] === byte.quote) {
    const keySpan = { start: i, end: skipString(bytes, i) };
    const start = skipSpace(bytes, skipSpace(bytes, keySpan.end) + 1); // past the colon
    const value = { start, end: skipValue(bytes, start) };
    members.push({ key: decodeString(bytes, keySpan), keySpan, value });
    i = nextEntry(bytes, value.end);
  }
  return members;
}

/** The elements of the array at `span`, in order. Throws TypeError if it is no array. */
export function arrayElements(bytes: Buffer, span: Span): Span[] {
  expectKind(bytes, span, 'array');
  const elements: Span[] = [];
  let i = skipSpace(bytes, span.start + 1);
  while (bytes[i] !== byte.closeArray) {
    const element = { start: i, end: skipValue(bytes, i) };
    elements.push(element);
    i = nextEntry(bytes, element.end);
  }
  return elements;
}

/** Past the comma behind an entry, or at the closing bracket. */
function nextEntry(bytes: Buffer, end: number): number {
  const i = skipSpace(bytes, end);
  return bytes[i] === byte.comma ? skipSpace(bytes, i + 1) : i;
}

/** The string at `span`, escapes resolved. Throws TypeError if it is no string. */
export function stringValue(bytes: Buffer, span: Span): string {
  expectKind(bytes, span, 'string');
  return decodeString(bytes, span);
}

/** JSON.parse meets a string here and nothing else, so nothing can be lost. */
function decodeString(bytes: Buffer, span: Span): string {
  const text = bytes.toString('utf8', span.start + 1, span.end - 1);
  return text.includes('\\') ? (JSON.parse(`"${text}"`) as string) : text;
}

/** The JSON text at `span`, as it stands. */
export function rawText(bytes: Buffer, span: Span): string {
  return bytes.toString('utf8', span.start, span.end);
}

/** The first member called `key`. */
export function findMember(members: readonly Member[], key: string): Member | undefined {
  return members.find((member) => member.key === key);
}

/** The member at the end of `path`, from the object at `span` on; undefined if a step is missing or no object. */
export function memberAt(bytes: Buffer, span: Span, path: readonly string[]): Member | undefined {
  let member: Member | undefined;
  let object = span;
  for (const key of path) {
    if (kindOf(bytes, object) !== 'object') return undefined;
    member = findMember(objectMembers(bytes, object), key);
    if (member === undefined) return undefined;
    object = member.value;
  }
  return member;
}

function expectKind(bytes: Buffer, span: Span, kind: JsonKind): void {
  const found = kindOf(bytes, span);
  if (found !== kind) throw new TypeError(`expected JSON ${kind}, found ${found}`);
}
