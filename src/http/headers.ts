/**
 * Header fields on their way through a gateway (RFC 9110 §7.6). It works on raw lists, `[name, value, …]` as they
 * came, because that is what was on the wire: a record has lost the second of two lines and the case of a name.
 * Names are told apart by their length first; most need not be looked at again.
 */
import type { IncomingMessage } from 'node:http';
import { refuse, type Refusal } from '../errors.js';

/** Lower-case names, by length. */
type Names = readonly (readonly string[] | undefined)[];

/** A table for `isOneOf`. */
export function nameTable(names: readonly string[]): Names {
  const table: string[][] = [];
  for (const name of names) (table[name.length] ??= []).push(name);
  return table;
}

/** Whether `name`, in any case, stands in the table. */
export function isOneOf(table: Names, name: string): boolean {
  const candidates = table[name.length];
  return candidates !== undefined && (candidates.includes(name) || candidates.includes(name.toLowerCase()));
}

/** What belongs to one connection (RFC 9110 §7.6.1) or to one proxy, and never goes further, in either direction. */
export const hopByHopNames: readonly string[] = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];
const hopByHop = nameTable(hopByHopNames);

/** Whether a field of this name is for this hop only. */
export function isHopByHop(name: string): boolean {
  return isOneOf(hopByHop, name);
}

/** What of a request is not copied: hop-by-hop, or written anew (Host by the connection, the rest below). */
const notCopied = nameTable([...hopByHopNames, 'host', 'content-length', 'expect', 'forwarded', 'x-forwarded-for']);

/**
 * The names that a `Connection` field nominates, in lower case, without the options that are no fields; undefined
 * where it nominates none, which is nearly always.
 */
export function nominated(connection: string): ReadonlySet<string> | undefined {
  if (connection === 'keep-alive' || connection === 'close') return undefined;
  const names = connection.split(',').map((name) => name.trim().toLowerCase());
  const fields = names.filter((name) => name !== '' && name !== 'keep-alive' && name !== 'close');
  return fields.length === 0 ? undefined : new Set(fields);
}

/** `raw` without the fields of these lower-case names. */
export function without(raw: readonly string[], names: ReadonlySet<string>): string[] {
  return raw.filter((_, at) => !names.has((raw[at - (at % 2)] as string).toLowerCase()));
}

/**
 * The header fields of `request` for the next hop: hop-by-hop fields out, the forwarding fields extended by this
 * hop. `Content-Length` is kept where `keepLength`, for a body that is passed on as a stream.
 */
export function forwardedHeaders(request: IncomingMessage, keepLength: boolean): string[] {
  const raw = request.rawHeaders;
  const out: string[] = [];
  const hop: Hop = { proto: 'encrypted' in request.socket ? 'https' : 'http', by: plainAddress(request) };
  let nominations: ReadonlySet<string> | undefined;
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at] as string;
    const value = raw[at + 1] as string;
    if (!isOneOf(notCopied, name)) {
      out.push(name, value);
      if (name.length === 17 && name.toLowerCase() === 'x-forwarded-proto') hop.hasProto = true;
      if (name.length === 16 && name.toLowerCase() === 'x-forwarded-host') hop.hasHost = true;
      continue;
    }
    switch (name.toLowerCase()) {
      case 'connection':
        nominations = nominated(value) ?? nominations;
        break;
      case 'host':
        hop.host = value;
        break;
      case 'content-length':
        if (keepLength) out.push(name, value);
        break;
      case 'x-forwarded-for':
        hop.via = joined(hop.via, value);
        break;
      case 'forwarded':
        hop.forwarded = joined(hop.forwarded, value);
        break;
    }
  }
  addHop(out, hop);
  return nominations === undefined ? out : without(out, nominations);
}

/** What this hop adds to the forwarding fields, and what stood there. */
interface Hop {
  readonly proto: 'http' | 'https';
  readonly by: string;
  host?: string;
  via?: string;
  forwarded?: string;
  hasProto?: boolean;
  hasHost?: boolean;
}

/**
 * Appends this hop: our own address book stays simple, so what a client claims is kept and what we saw stands last.
 * `Forwarded` (RFC 7239) is continued where it was begun.
 */
function addHop(out: string[], hop: Hop): void {
  out.push('X-Forwarded-For', joined(hop.via, hop.by));
  if (!hop.hasProto) out.push('X-Forwarded-Proto', hop.proto);
  if (!hop.hasHost && hop.host !== undefined) out.push('X-Forwarded-Host', hop.host);
  if (hop.forwarded === undefined) return;
  const node = hop.by.includes(':') ? `"[${hop.by}]"` : hop.by;
  const host = hop.host === undefined ? '' : `;host="${hop.host}"`;
  out.push('Forwarded', joined(hop.forwarded, `for=${node};proto=${hop.proto}${host}`));
}

function joined(list: string | undefined, value: string): string {
  return list === undefined ? value : `${list}, ${value}`;
}

/** The client's address, an IPv4 one without its IPv6 dress. */
function plainAddress(request: IncomingMessage): string {
  const address = request.socket.remoteAddress ?? 'unknown';
  return address.startsWith('::ffff:') ? address.slice(7) : address;
}

/** Which fields of a request the gateway relies on. Names in lower case. */
export interface HeaderRules {
  /** A `Connection` field must not take these away from the next hop while we act on them. */
  readonly endToEnd: readonly string[];
  /** The same for every field that begins so. */
  readonly endToEndPrefix: string;
  /** Fields of which a request has one line at most, or two readers may see two values. */
  readonly single: readonly string[];
  /** Fields of visible ASCII only. */
  readonly visible: readonly string[];
}

/** A check of raw request headers: the refusal, or undefined where they are fit to be relied on. */
export type HeaderCheck = (raw: readonly string[]) => Refusal | undefined;

/** Makes the check for `rules`: cells `bad-header` and `hop-by-hop-nomination`. */
export function headerCheck(rules: HeaderRules): HeaderCheck {
  const looked = nameTable(['connection', ...rules.single, ...rules.visible]);
  const bits = new Map(rules.single.map((name, index) => [name, 1 << index]));
  const visible = new Set(rules.visible);
  const endToEnd = new Set(rules.endToEnd);
  const relied = (name: string): boolean => endToEnd.has(name) || name.startsWith(rules.endToEndPrefix);

  return (raw) => {
    let seen = 0;
    for (let at = 0; at < raw.length; at += 2) {
      if (!isOneOf(looked, raw[at] as string)) continue;
      const name = (raw[at] as string).toLowerCase();
      const value = raw[at + 1] as string;
      if (name === 'connection') {
        const taken = [...(nominated(value) ?? [])].find(relied);
        if (taken !== undefined) return refuse('hop-by-hop-nomination', { detail: taken });
      }
      const bit = bits.get(name) ?? 0;
      if ((seen & bit) !== 0) return refuse('bad-header', { detail: `${name} stands twice` });
      seen |= bit;
      if (visible.has(name) && !/^[\x21-\x7e]+$/.test(value)) {
        return refuse('bad-header', { detail: `${name} must be visible ASCII` });
      }
    }
    return undefined;
  };
}
