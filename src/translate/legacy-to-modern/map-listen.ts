/** The one `subscriptions/listen` of a session, and what comes on it (2026-07-28, basic/patterns/subscriptions). Pure. */
import {
  applySplices,
  arrayElements,
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
import {
  idKey,
  paramString,
  readMessage,
  type ErrorResponse,
  type Notification,
  type ReadResult,
  type Request,
} from '../../wire/jsonrpc.js';
import { metaKeys } from '../../wire/meta-keys.js';
import { requestOf } from './own-messages.js';
import { quote } from './quote.js';

/** What is listened to. */
export interface Filter {
  /** Members of a filter that stand for the change of a list, such as `toolsListChanged`. */
  readonly lists: ReadonlySet<string>;
  /** The resources whose updates are wanted. */
  readonly uris: ReadonlySet<string>;
}

/** The filter that lets nothing through. */
export const nothing: Filter = { lists: new Set(), uris: new Set() };

/** Whether nothing would ever come through. */
export function isEmpty({ lists, uris }: Filter): boolean {
  return lists.size === 0 && uris.size === 0;
}

/** A change that goes to the client; `subject` is the member of the filter, or the URI, that asked for it. */
export interface Change {
  readonly kind: 'list-changed' | 'updated';
  readonly subject: string;
  /** The notification as a legacy client knows it. */
  readonly bytes: Buffer;
}

/** What one message on the stream says. */
export type Heard =
  | Change
  | { readonly kind: 'acknowledged'; readonly honoured: Filter }
  /** The upstream has ended the subscription: by its result, or as servers of earlier drafts do, by `cancelled`. */
  | { readonly kind: 'over' }
  | { readonly kind: 'error'; readonly code: string; readonly detail: string }
  /** Not for the client; `why` for the log. */
  | { readonly kind: 'nothing'; readonly why: string };

const listChanges: ReadonlyMap<string, string> = new Map([
  ['tools', 'toolsListChanged'],
  ['prompts', 'promptsListChanged'],
  ['resources', 'resourcesListChanged'],
]);

/** The list changes that a raw DiscoverResult advertises, as members of a filter. */
export function advertisedLists(discovered: Buffer): string[] {
  const root = { start: 0, end: discovered.length };
  return [...listChanges].flatMap(([capability, member]) => {
    const value = memberAt(discovered, root, ['capabilities', capability, 'listChanged'])?.value;
    return value && kindOf(discovered, value) === 'true' ? [member] : [];
  });
}

/** The request for `filter`, without an envelope; `id` is raw JSON. */
export function listenRequest(id: string, { lists, uris }: Filter): Request {
  const members = [...lists].map((member) => `${JSON.stringify(member)}:true`);
  if (uris.size > 0) members.push(`"resourceSubscriptions":${JSON.stringify([...uris])}`);
  const bytes = requestOf(id, 'subscriptions/listen', `{"notifications":{${members.join(',')}}}`);
  return readMessage(bytes) as Request;
}

/** Whether `change` is one that `filter` asks for. */
export function letsThrough({ lists, uris }: Filter, { kind, subject }: Change): boolean {
  return kind === 'list-changed' ? lists.has(subject) : covers(uris, subject);
}

/** An update may be of a sub-resource of the one that was subscribed to (schema, ResourceUpdatedNotification). */
function covers(uris: ReadonlySet<string>, uri: string): boolean {
  if (uris.has(uri)) return true;
  return [...uris].some((one) => uri.startsWith(one) && (one.endsWith('/') || '/?#'.includes(uri.charAt(one.length))));
}

/** Reads one message that came for the listen request `id`. */
export function readHeard(message: ReadResult, id: string): Heard {
  switch (message.kind) {
    case 'notification':
      return readNotification(message, id);
    case 'response':
      return idKey(message.id) === idKey(id) ? { kind: 'over' } : ignored('a response to another request');
    case 'error':
      // One without an id can be for no other: each request is alone on its connection.
      return idKey(message.id ?? id) === idKey(id) ? readError(message) : ignored('an error of another request');
    case 'request':
      return ignored('a request from the server');
    case 'batch':
      return ignored('a batch');
    case 'malformed':
      return ignored(message.detail);
  }
}

/** How the notifications of a subscription are read; whatever is not here never comes on this stream. */
const readers: ReadonlyMap<string, (message: Notification) => Heard> = new Map([
  ['notifications/subscriptions/acknowledged', readAcknowledged],
  ['notifications/resources/updated', readUpdated],
  ...[...listChanges].map(([list, member]) => [`notifications/${list}/list_changed`, listChanged(member)] as const),
]);

function readNotification(message: Notification, id: string): Heard {
  const { bytes, method, params, meta } = message;
  if (method === 'notifications/cancelled') {
    const ended = params && memberAt(bytes, params, ['requestId'])?.value;
    return ended && isId(bytes, ended, id) ? { kind: 'over' } : ignored('the end of another request');
  }
  const tag = meta && findMember(objectMembers(bytes, meta), metaKeys.subscriptionId)?.value;
  if (tag && !isId(bytes, tag, id)) return ignored('a notification of another subscription');
  return readers.get(method)?.(message) ?? ignored(`${method} does not belong here`);
}

function isId(bytes: Buffer, value: Span, id: string): boolean {
  return idKey(rawText(bytes, value)) === idKey(id);
}

function readAcknowledged({ bytes, params }: Notification): Heard {
  const filter = params && memberAt(bytes, params, ['notifications'])?.value;
  if (filter === undefined || kindOf(bytes, filter) !== 'object') return { kind: 'acknowledged', honoured: nothing };
  const members = objectMembers(bytes, filter);
  const lists = members.filter(({ value }) => kindOf(bytes, value) === 'true').map(({ key }) => key);
  const uris = findMember(members, 'resourceSubscriptions')?.value;
  const elements = uris && kindOf(bytes, uris) === 'array' ? arrayElements(bytes, uris) : [];
  const strings = elements.filter((span) => kindOf(bytes, span) === 'string').map((span) => stringValue(bytes, span));
  return { kind: 'acknowledged', honoured: { lists: new Set(lists), uris: new Set(strings) } };
}

function readUpdated(message: Notification): Heard {
  const subject = paramString(message, 'uri');
  if (subject === undefined) return ignored('an update of nothing');
  return { kind: 'updated', subject, bytes: withoutTag(message) };
}

function listChanged(subject: string): (message: Notification) => Heard {
  return (message) => ({ kind: 'list-changed', subject, bytes: withoutTag(message) });
}

function readError({ bytes, error }: ErrorResponse): Heard {
  const code = memberAt(bytes, error, ['code'])?.value;
  const text = memberAt(bytes, error, ['message'])?.value;
  const shown = text && kindOf(bytes, text) === 'string' ? quote(stringValue(bytes, text)) : '';
  const number = code ? rawText(bytes, code) : '';
  return { kind: 'error', code: number, detail: `${number} ${shown}` };
}

/** The notification without the name of the subscription; a `_meta` that held nothing else goes too. */
function withoutTag({ bytes, root, params, meta }: Notification): Buffer {
  return applySplices(bytes.subarray(0, root.end), params && meta ? tagRemoval(bytes, params, meta) : []).subarray(
    root.start,
  );
}

function tagRemoval(bytes: Buffer, params: Span, meta: Span): Splice[] {
  const keys = objectMembers(bytes, meta).map(({ key }) => key);
  if (!keys.includes(metaKeys.subscriptionId)) return [];
  return keys.every((key) => key === metaKeys.subscriptionId)
    ? editObject(bytes, params, { remove: ['_meta'] })
    : editObject(bytes, meta, { remove: [metaKeys.subscriptionId] });
}

function ignored(why: string): Heard {
  return { kind: 'nothing', why };
}
