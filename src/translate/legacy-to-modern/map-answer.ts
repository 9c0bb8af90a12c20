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
  replaceValue,
  stringValue,
  type Span,
  type Splice,
} from '../../wire/json.js';
import type { ErrorResponse, Request, Response } from '../../wire/jsonrpc.js';
import { metaKeys } from '../../wire/meta-keys.js';
import type { ToolList } from '../tool-list.js';
import { readInputRequired, type InputRequired } from './map-input.js';
import { resultEdits, type ClientView } from './map-result.js';
import { quote } from './quote.js';

/** Members of every modern result that no legacy result has. */
const modernOnly = ['resultType', 'ttlMs', 'cacheScope'];

/** An answer that the client can be given. */
export interface Answer {
  readonly kind: 'answer';
  readonly bytes: Buffer;
  /** The code of an error, as the upstream gave it. */
  readonly code?: string | undefined;
  /** The tools that it lists, as the upstream gave them. */
  readonly listed?: ToolList | undefined;
}

/**
 * The result as a legacy client knows it, by splices on the upstream's bytes: look-alikes within user data stay, and
 * the id is that of the request. A result that asks for input is read; one of a type that nobody here has declared to
 * know is refused (2026-07-28, basic/index "ResultType").
 */
export function mapResult(message: Response, request: Request, view: ClientView): Answer | InputRequired | Refusal {
  const { bytes, result } = message;
  const type = typeOf(bytes, result);
  if (type === 'input_required') return readInputRequired(message, request);
  if (type !== 'complete') return refuse('upstream-unintelligible', { detail: `its resultType is ${quote(type)}` });
  const { splices, listed } = resultEdits(bytes, result, request.method, view);
  splices.push(...withoutServerInfo(bytes, result, { remove: modernOnly }));
  return { kind: 'answer', bytes: edited(message, request, splices), listed };
}

/** The type of a result; servers that give none mean `complete`. What is no string is shown as it stands. */
function typeOf(bytes: Buffer, result: Span): string {
  const type = memberAt(bytes, result, ['resultType'])?.value;
  if (type === undefined) return 'complete';
  return kindOf(bytes, type) === 'string' ? stringValue(bytes, type) : rawText(bytes, type);
}

/** The message with `splices` and the request's own id, without what stood around it. */
function edited({ bytes, root, id }: Response | ErrorResponse, request: Request, splices: Splice[]): Buffer {
  if (id !== request.id) splices.push(...editObject(bytes, root, { set: [['id', request.id]] }));
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

/** Codes of the modern era that a legacy client does not know, and what it can show instead. */
const codes: ReadonlyMap<string, string> = new Map([
  ['-32020', '-32603'], // the headers of the gateway's own request
  ['-32021', '-32602'], // a capability that this client does not have
  ['-32022', '-32603'], // the revision of the gateway's own request
]);

/** The error as a legacy client knows it: message and data stay, and the id is that of the request. */
export function mapError(message: ErrorResponse, request: Request): Answer {
  const { bytes, error } = message;
  const member = memberAt(bytes, error, ['code']);
  const code = member && rawText(bytes, member.value);
  const mapped = code && (isNotFound(code, message, request) ? '-32002' : codes.get(code));
  const splices = mapped ? [replaceValue(member, mapped)] : [];
  return { kind: 'answer', bytes: edited(message, request, splices), code };
}

/** A resource that does not exist is −32602 with its uri in the modern era, −32002 in the legacy one (SEP-2164). */
function isNotFound(code: string, { bytes, error }: ErrorResponse, { method }: Request): boolean {
  return code === '-32602' && method === 'resources/read' && memberAt(bytes, error, ['data', 'uri']) !== undefined;
}
