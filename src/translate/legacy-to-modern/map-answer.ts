/** A modern answer in the words of the legacy era (2026-07-28, basic/index "Responses", changelog). */
import { refuse, type Refusal } from '../../errors.js';
import {
  applySplices,
  editObject,
  findMember,
  kindOf,
  memberAt,
  objectMembers,
  rawText,
  stringValue,
  type Span,
  type Splice,
} from '../../wire/json.js';
import type { ErrorResponse, Request, Response } from '../../wire/jsonrpc.js';
import { metaKeys } from '../../wire/meta-keys.js';

/** Members of every modern result that no legacy result has. */
const modernOnly = ['resultType', 'ttlMs', 'cacheScope'];

/**
 * The result as a legacy client knows it, by splices on the upstream's bytes: look-alikes within user data stay.
 * A result that asks for input is refused, naming what was asked for.
 */
export function mapResult({ bytes, root, result, id }: Response): Buffer | Refusal {
  const members = objectMembers(bytes, result);
  const type = findMember(members, 'resultType')?.value;
  if (type && kindOf(bytes, type) === 'string' && stringValue(bytes, type) === 'input_required')
    return refuse('input-not-carried', { id, detail: requestedMethods(bytes, result) });
  const splices = withoutServerInfo(bytes, result, { remove: modernOnly });
  return applySplices(bytes.subarray(0, root.end), splices).subarray(root.start);
}

/**
 * The splices of `edit` on one result, and those that take the server's name out of its `_meta` (2026-07-28,
 * basic/index `_meta`); a `_meta` that held nothing else goes too.
 */
export function withoutServerInfo(
  bytes: Buffer,
  result: Span,
  edit: { readonly set?: readonly (readonly [string, string])[]; readonly remove: readonly string[] },
): Splice[] {
  const meta = findMember(objectMembers(bytes, result), '_meta')?.value;
  if (meta === undefined || kindOf(bytes, meta) !== 'object') return editObject(bytes, result, edit);
  if (holdsOnlyServerInfo(bytes, meta))
    return editObject(bytes, result, { ...edit, remove: [...edit.remove, '_meta'] });
  return [...editObject(bytes, result, edit), ...editObject(bytes, meta, { remove: [metaKeys.serverInfo] })];
}

/** Whether nothing would be left of `_meta`; one that came empty stays. */
function holdsOnlyServerInfo(bytes: Buffer, meta: Span): boolean {
  const members = objectMembers(bytes, meta);
  return members.length > 0 && members.every(({ key }) => key === metaKeys.serverInfo);
}

function requestedMethods(bytes: Buffer, result: Span): string | undefined {
  const requests = memberAt(bytes, result, ['inputRequests'])?.value;
  if (requests === undefined || kindOf(bytes, requests) !== 'object') return undefined;
  const methods = objectMembers(bytes, requests).flatMap(({ value }) => {
    const method = kindOf(bytes, value) === 'object' ? memberAt(bytes, value, ['method'])?.value : undefined;
    return method && kindOf(bytes, method) === 'string' ? [stringValue(bytes, method)] : [];
  });
  return methods.length === 0 ? undefined : [...new Set(methods)].join(', ');
}

/** Codes of the modern era that a legacy client does not know, and what it can show instead. */
const codes: ReadonlyMap<string, string> = new Map([
  ['-32020', '-32603'], // the headers of the gateway's own request
  ['-32021', '-32602'], // a capability that this client does not have
  ['-32022', '-32603'], // the revision of the gateway's own request
]);

/** The error as a legacy client knows it: message and data stay, and the id is that of the request. */
export function mapError({ bytes, root, error, id }: ErrorResponse, request: Request): Buffer {
  const code = memberAt(bytes, error, ['code'])?.value;
  const raw = code && rawText(bytes, code);
  const mapped = raw && (isNotFound(raw, bytes, error, request.method) ? '-32002' : codes.get(raw));
  return applySplices(bytes.subarray(0, root.end), [
    ...(mapped ? editObject(bytes, error, { set: [['code', mapped]] }) : []),
    ...(id === undefined ? editObject(bytes, root, { set: [['id', request.id]] }) : []),
  ]).subarray(root.start);
}

/** A resource that does not exist is −32602 with its uri in the modern era, −32002 in the legacy one (SEP-2164). */
function isNotFound(code: string, bytes: Buffer, error: Span, method: string): boolean {
  return code === '-32602' && method === 'resources/read' && memberAt(bytes, error, ['data', 'uri']) !== undefined;
}
