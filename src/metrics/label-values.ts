/** Turns what clients send into label values that are bounded in number and in length. Pure. */
import { isLegacyRevision, isServedModernRevision } from '../wire/meta-keys.js';

/** Request methods of all revisions, 2024-11-05 to 2026-07-28, with those of the Tasks extension. */
const knownMethods = new Set([
  'completion/complete',
  'elicitation/create',
  'initialize',
  'logging/setLevel',
  'ping',
  'prompts/get',
  'prompts/list',
  'resources/list',
  'resources/read',
  'resources/subscribe',
  'resources/templates/list',
  'resources/unsubscribe',
  'roots/list',
  'sampling/createMessage',
  'server/discover',
  'subscriptions/listen',
  'tasks/cancel',
  'tasks/get',
  'tasks/list',
  'tasks/result',
  'tasks/update',
  'tools/call',
  'tools/list',
]);

/** The class of a method: itself where it is known, `notifications`, `other`, or `none` where there is no method. */
export function methodClass(method: string | undefined): string {
  if (method === undefined) return 'none';
  if (knownMethods.has(method)) return method;
  return method.startsWith('notifications/') ? 'notifications' : 'other';
}

/** A revision that we know, `other`, or `none` where none was named. */
export function revisionClass(revision: string | undefined): string {
  if (revision === undefined) return 'none';
  return isLegacyRevision(revision) || isServedModernRevision(revision) ? revision : 'other';
}

/**
 * `text` as printable ASCII of at most `limit` characters, everything else shown as `?`: neither a label nor a
 * line on a terminal can be forged or made long by a client. Empty text becomes `-`.
 */
export function clean(text: string, limit: number): string {
  const printable = text
    .slice(0, limit)
    .replace(/[^\x20-\x7e]/g, '?')
    .trim();
  return printable === '' ? '-' : printable;
}

/** How long a client's name or version may be as a label value. */
const longest = 64;

/** The labels of one client. */
export interface ClientLabels {
  readonly name: string;
  readonly version: string;
}

const other: ClientLabels = { name: 'other', version: 'other' };

/**
 * Gives the first `bound` pairs of name and version a series of their own, and all later ones `other`. Pairs are
 * counted, not names, since a client can make up versions as easily as names.
 */
export function boundClients(bound: number): (name: string, version: string) => ClientLabels {
  const own = new Map<string, ClientLabels>();
  return (name, version) => {
    const client = { name: clean(name, longest), version: clean(version, longest) };
    // A tab cannot stand in a cleaned value, so the key is unambiguous.
    const key = `${client.name}\t${client.version}`;
    const known = own.get(key);
    if (known !== undefined) return known;
    if (own.size >= bound) return other;
    own.set(key, client);
    return client;
  };
}
