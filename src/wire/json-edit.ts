import { arrayElements, findMember, objectMembers, type Member } from './json-members.js';
import type { Span } from './json-scan.js';

/**
 * Edits as splices: what is not named by an edit stays byte for byte (design rule 1). All edits of one object
 * belong in one call, since each call settles the commas for the object as it stands.
 */

/** The bytes in the span are replaced by `bytes`; an empty span inserts. */
export interface Splice extends Span {
  readonly bytes: Buffer;
}

/** Key and raw JSON text of a member. */
export type Entry = readonly [key: string, json: string];

const nothing = Buffer.alloc(0);

/**
 * Applies splices that were all made for `bytes`, in any order; insertions at one place keep theirs. Without
 * splices it answers `bytes` itself. Throws RangeError if two overlap or one lies outside.
 */
export function applySplices(bytes: Buffer, splices: readonly Splice[]): Buffer {
  if (splices.length === 0) return bytes;
  const parts: Buffer[] = [];
  let done = 0;
  for (const splice of [...splices].sort((a, b) => a.start - b.start || a.end - b.end)) {
    if (splice.start < done || splice.end < splice.start || splice.end > bytes.length)
      throw new RangeError(`splice ${splice.start}–${splice.end} overlaps another or lies outside`);
    parts.push(bytes.subarray(done, splice.start), splice.bytes);
    done = splice.end;
  }
  parts.push(bytes.subarray(done));
  return Buffer.concat(parts);
}

/** Gives a member another value; `json` is raw JSON. */
export function replaceValue(member: Member, json: string | Buffer): Splice {
  return { ...member.value, bytes: typeof json === 'string' ? Buffer.from(json) : json };
}

/** Removes the members that `remove` names, with their commas. */
export function removeMembers(bytes: Buffer, object: Span, remove: (member: Member) => boolean): Splice[] {
  return removals(objectMembers(bytes, object), remove);
}

/** Removes the elements of an array for which `goes` holds, with their commas. */
export function removeElements(bytes: Buffer, array: Span, goes: (element: Span) => boolean): Splice[] {
  const elements = arrayElements(bytes, array).map((value) => ({ key: '', keySpan: value, value }));
  return removals(elements, ({ value }) => goes(value));
}

/** Adds members at the end of an object, whatever it holds already. */
export function addMembers(bytes: Buffer, object: Span, entries: readonly Entry[]): Splice[] {
  const members = objectMembers(bytes, object);
  return insertion(object, members, members.length > 0, entries);
}

/**
 * Sets and removes members of one object. A key that is set stands exactly once afterwards: in its first place
 * if it was there, else at the end. Where a key is both set and removed, it is set.
 */
export function editObject(
  bytes: Buffer,
  object: Span,
  edit: { set?: readonly Entry[]; remove?: readonly string[] },
): Splice[] {
  const members = objectMembers(bytes, object);
  const set = new Map(edit.set);
  const remove = new Set(edit.remove);
  const replaced = new Map<Member, string>();
  const added: Entry[] = [];
  for (const entry of set) {
    const member = findMember(members, entry[0]);
    if (member === undefined) added.push(entry);
    else replaced.set(member, entry[1]);
  }
  const goes = (member: Member) => !replaced.has(member) && (remove.has(member.key) || set.has(member.key));
  return [
    ...[...replaced].map(([member, json]) => replaceValue(member, json)),
    ...removals(members, goes),
    ...insertion(object, members, !members.every(goes), added),
  ];
}

/**
 * One splice per run of neighbours. A run behind a member that stays takes the comma before it; a run at the front
 * takes the one behind it, up to the next key.
 */
function removals(members: readonly Member[], goes: (member: Member) => boolean): Splice[] {
  const splices: Splice[] = [];
  for (let first = 0; first < members.length; first++) {
    if (!goes(members[first]!)) continue;
    let next = first + 1;
    while (next < members.length && goes(members[next]!)) next++;
    const before = members[first - 1];
    const after = members[next];
    splices.push({
      start: before?.value.end ?? members[first]!.keySpan.start,
      end: before === undefined && after !== undefined ? after.keySpan.start : members[next - 1]!.value.end,
      bytes: nothing,
    });
    first = next;
  }
  return splices;
}

/** New members behind the last old one (even if that one goes), with a comma if any old one stays. */
function insertion(object: Span, members: readonly Member[], someStay: boolean, entries: readonly Entry[]): Splice[] {
  if (entries.length === 0) return [];
  const at = members.at(-1)?.value.end ?? object.start + 1;
  const text = entries.map(([key, json]) => `${JSON.stringify(key)}:${json}`).join(',');
  return [{ start: at, end: at, bytes: Buffer.from(someStay ? `,${text}` : text) }];
}
