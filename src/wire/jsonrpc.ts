import {
  arrayElements,
  checkJson,
  findMember,
  kindOf,
  objectMembers,
  rawText,
  stringValue,
  type Member,
  type Span,
} from './json.js';

/**
 * Reading one JSON-RPC message (JSON-RPC 2.0 §4–§5; MCP basic/index "Messages") as byte ranges of the members that
 * route it. `bytes` holds the message and may hold more: `root` says where it stands.
 */
export type Message = Request | Notification | Response | ErrorResponse;

interface At {
  readonly bytes: Buffer;
  /** The message object. */
  readonly root: Span;
}

interface Call extends At {
  readonly method: string;
  /** The object `params`; absent where it is missing or null (set it with `editObject`, which knows both). */
  readonly params?: Span;
  /** The object `params._meta`. */
  readonly meta?: Span;
}

export interface Request extends Call {
  readonly kind: 'request';
  /** The raw JSON of the id, exactly as sent. */
  readonly id: string;
}

export interface Notification extends Call {
  readonly kind: 'notification';
}

export interface Response extends At {
  readonly kind: 'response';
  readonly id: string;
  /** An object. */
  readonly result: Span;
}

export interface ErrorResponse extends At {
  readonly kind: 'error';
  /** Absent where it is missing or null: the sender could not read the id of what it answers. */
  readonly id?: string;
  /** An object. */
  readonly error: Span;
}

/** An array of messages, each still to be read with `readMessageAt`; may be empty. */
export interface Batch {
  readonly kind: 'batch';
  readonly bytes: Buffer;
  readonly elements: Span[];
}

/** What is no message; `id` where it could be read, `detail` for the sentence of the answer. */
export interface Malformed {
  readonly kind: 'malformed';
  readonly cell: 'not-json' | 'not-json-rpc' | 'duplicate-member';
  readonly id?: string;
  readonly detail: string;
}

export type ReadResult = Message | Batch | Malformed;

/** Two readers must never see two different messages, so these may stand only once (RFC 8259 §4 leaves it open). */
const routingMembers: ReadonlySet<string> = new Set(['jsonrpc', 'id', 'method', 'params', 'result', 'error']);
const routingParams: ReadonlySet<string> = new Set(['name', 'uri', 'taskId', 'taskHandle', '_meta']);

/** Reads a whole body: any bytes at all. */
export function readMessage(bytes: Buffer): ReadResult {
  const checked = checkJson(bytes);
  if (checked.kind === 'invalid') return malformed('not-json', `${checked.reason} at byte ${checked.offset}`);
  const { root } = checked;
  if (kindOf(bytes, root) === 'array') return { kind: 'batch', bytes, elements: arrayElements(bytes, root) };
  return readMessageAt(bytes, root);
}

/** Reads the message at `root` of a document that passed `checkJson`, such as one element of a batch. */
export function readMessageAt(bytes: Buffer, root: Span): Message | Malformed {
  const kind = kindOf(bytes, root);
  if (kind !== 'object') return malformed('not-json-rpc', `a message is an object, not ${kind}`);
  const members = objectMembers(bytes, root);
  const twice = firstDuplicate(members, routingMembers);
  const id = readId(bytes, members);
  if (twice !== undefined) return malformed('duplicate-member', `"${twice}" stands twice`, id);
  if (stringOf(bytes, findMember(members, 'jsonrpc')) !== '2.0')
    return malformed('not-json-rpc', 'jsonrpc must be "2.0"', id);
  return findMember(members, 'method') === undefined
    ? readAnswer({ bytes, root }, members, id)
    : readCall({ bytes, root }, members, id);
}

type Id = { kind: 'absent' } | { kind: 'null' } | { kind: 'id'; raw: string } | { kind: 'bad' };
const absent: Id = { kind: 'absent' };

/**
 * An id is a string or an integer (MCP basic/index); its text is kept, so no integer is too large. Of two ids none
 * is the id.
 */
function readId(bytes: Buffer, members: readonly Member[]): Id {
  const [member, twin] = members.filter(({ key }) => key === 'id');
  if (member === undefined || twin !== undefined) return absent;
  const kind = kindOf(bytes, member.value);
  if (kind === 'null') return { kind: 'null' };
  const raw = rawText(bytes, member.value);
  return kind === 'string' || isInteger(raw) ? { kind: 'id', raw } : { kind: 'bad' };
}

function isInteger(raw: string): boolean {
  return /^-?\d+$/.test(raw);
}

/** A request or a notification. */
function readCall(at: At, members: readonly Member[], id: Id): Message | Malformed {
  if (findMember(members, 'result') !== undefined || findMember(members, 'error') !== undefined)
    return malformed('not-json-rpc', 'a message with a method has neither result nor error', id);
  const method = stringOf(at.bytes, findMember(members, 'method'));
  if (method === undefined) return malformed('not-json-rpc', 'method must be a string', id);
  if (id.kind === 'null' || id.kind === 'bad')
    return malformed('not-json-rpc', 'id must be a string or an integer', id);
  const spans = readParams(at.bytes, findMember(members, 'params'));
  if ('kind' in spans) return malformed(spans.cell, spans.detail, id);
  // One assignment each: spreading into the literal costs as much as reading the members did.
  const { bytes, root } = at;
  return id.kind === 'id'
    ? Object.assign({ kind: 'request' as const, bytes, root, id: id.raw, method }, spans)
    : Object.assign({ kind: 'notification' as const, bytes, root, method }, spans);
}

function readParams(bytes: Buffer, member: Member | undefined): { params?: Span; meta?: Span } | Malformed {
  const kind = member === undefined ? 'null' : kindOf(bytes, member.value);
  if (member === undefined || kind === 'null') return {};
  if (kind !== 'object') return malformed('not-json-rpc', `params must be an object, not ${kind}`);
  const params = member.value;
  const inner = objectMembers(bytes, params);
  const twice = firstDuplicate(inner, routingParams);
  if (twice !== undefined) return malformed('duplicate-member', `"params.${twice}" stands twice`);
  const meta = findMember(inner, '_meta')?.value;
  const isEnvelope = meta !== undefined && kindOf(bytes, meta) === 'object';
  return isEnvelope ? { params, meta } : { params };
}

/** A response with a result or an error. */
function readAnswer(at: At, members: readonly Member[], id: Id): Message | Malformed {
  const result = findMember(members, 'result')?.value;
  const error = findMember(members, 'error')?.value;
  if (result !== undefined && error !== undefined)
    return malformed('not-json-rpc', 'a response has either a result or an error', id);
  const payload = result ?? error;
  if (payload === undefined) return malformed('not-json-rpc', 'there is no method, result or error', id);
  if (kindOf(at.bytes, payload) !== 'object') return malformed('not-json-rpc', 'a result and an error are objects', id);
  if (id.kind === 'bad') return malformed('not-json-rpc', 'id must be a string or an integer', id);
  const raw = id.kind === 'id' ? { id: id.raw } : undefined;
  if (error !== undefined) return { kind: 'error', ...at, ...raw, error };
  if (raw === undefined) return malformed('not-json-rpc', 'a result needs the id of its request', id);
  return { kind: 'response', ...at, ...raw, result: payload };
}

function malformed(cell: Malformed['cell'], detail: string, id: Id = absent): Malformed {
  return { kind: 'malformed', cell, detail, ...(id.kind === 'id' ? { id: id.raw } : {}) };
}

/** The first key of `keys` that stands twice. Escaped twins are twins; another case is another key. */
function firstDuplicate(members: readonly Member[], keys: ReadonlySet<string>): string | undefined {
  const seen = new Set<string>();
  for (const { key } of members) {
    if (!keys.has(key)) continue;
    if (seen.has(key)) return key;
    seen.add(key);
  }
  return undefined;
}

function stringOf(bytes: Buffer, member: Member | undefined): string | undefined {
  if (member === undefined || kindOf(bytes, member.value) !== 'string') return undefined;
  return stringValue(bytes, member.value);
}

/** The string `key` of `params._meta`; undefined if it is missing or no string. */
export function metaString(message: Message, key: string): string | undefined {
  return 'meta' in message ? stringIn(message.bytes, message.meta, key) : undefined;
}

/** The string `key` of `params`; undefined if it is missing or no string. */
export function paramString(message: Message, key: string): string | undefined {
  return 'params' in message ? stringIn(message.bytes, message.params, key) : undefined;
}

function stringIn(bytes: Buffer, object: Span | undefined, key: string): string | undefined {
  return object && stringOf(bytes, findMember(objectMembers(bytes, object), key));
}

/**
 * A Map key for an id given as raw JSON: tells `1` from `"1"`, and takes two spellings of one string for the same.
 */
export function idKey(rawId: string): string {
  return rawId.includes('\\') ? JSON.stringify(JSON.parse(rawId)) : rawId;
}

export { peek, type Peeked } from './jsonrpc-peek.js';
