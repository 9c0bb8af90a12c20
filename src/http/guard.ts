/**
 * Who may talk to us at all, by Host and Origin: the protection against DNS rebinding (2026-07-28,
 * basic/transports/streamable-http "Security & Endpoint"). A guard is made once; it runs for every request.
 */
import type { IncomingMessage } from 'node:http';
import { refuse, type Refusal } from '../errors.js';

/** What a guard is made of. */
export interface GuardRules {
  /** Hosts that clients may use: `mcp.example.com` with any port, `mcp.example.com:8443` with that one, `*` for all. */
  readonly hosts: readonly string[];
  /** Origins of browsers, such as `https://app.example.com`; `*` for all. */
  readonly origins: readonly string[];
  /** Where clients see us, if that is not where we listen: its host and its origin are allowed. */
  readonly publicUrl: URL | undefined;
  /** The address that we listen on. */
  readonly listenHost: string;
}

/** A guard. */
export interface Guard {
  /** The refusal of a request whose Host or Origin is not allowed or not one. The Origin is judged first. */
  check(request: Pick<IncomingMessage, 'rawHeaders'>): Refusal | undefined;
  /** Whether a page of this origin may call us. */
  readonly allowsOrigin: (origin: string) => boolean;
}

/** The names of this machine for itself, as they stand in a URL. */
const loopback = ['localhost', '127.0.0.1', '[::1]'];

/** Makes the guard for `rules`. */
export function createGuard(rules: GuardRules): Guard {
  const allowsHost = hostRule(rules);
  const allowsOrigin = originRule(rules);
  return {
    allowsOrigin,
    check: ({ rawHeaders }) => {
      const { host, origin } = hostAndOrigin(rawHeaders);
      if (origin === twice) return refuse('bad-header', { detail: 'Origin stands twice' });
      if (origin !== undefined && !allowsOrigin(origin)) return refuse('origin-not-allowed');
      if (host === twice) return refuse('bad-header', { detail: 'Host stands twice' });
      if (host === undefined || !allowsHost(host)) return refuse('host-not-allowed');
      return undefined;
    },
  };
}

const twice = Symbol('twice');
type Line = string | typeof twice | undefined;

/** From the raw list: a record has lost the second of two lines, and another reader may take just that one. */
function hostAndOrigin(raw: readonly string[]): { host: Line; origin: Line } {
  let host: Line;
  let origin: Line;
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at] as string;
    // Nearly all names are told apart by their length.
    if (name.length === 4 && name.toLowerCase() === 'host') host = host === undefined ? raw[at + 1] : twice;
    else if (name.length === 6 && name.toLowerCase() === 'origin') origin = origin === undefined ? raw[at + 1] : twice;
  }
  return { host, origin };
}

/**
 * The names of this machine and the address that we listen on are always allowed: rebinding needs a name of the
 * attacker's own. On a public address nothing else is allowed until it is configured.
 */
function hostRule({ hosts, publicUrl, listenHost }: GuardRules): (host: string) => boolean {
  if (hosts.includes('*')) return () => true;
  const anyPort = new Set(loopback);
  if (publicUrl !== undefined) anyPort.add(publicUrl.hostname);
  if (!unspecified.has(listenHost)) anyPort.add(canonicalName(inBrackets(listenHost)));
  const onePort = new Set<string>();
  for (const { name, port } of hosts.map(parseHost)) {
    if (port === undefined) anyPort.add(name);
    else onePort.add(`${name}:${port}`);
    // A browser leaves out the port that its scheme implies.
    if (port === '80' || port === '443') onePort.add(`${name}:`);
  }
  return (host) => {
    if (anyPort.has(host)) return true;
    const { name, port = '' } = parseHost(host);
    return anyPort.has(name) || onePort.has(`${name}:${port}`);
  };
}

const unspecified: ReadonlySet<string> = new Set(['0.0.0.0', '::', '']);

function inBrackets(address: string): string {
  return address.includes(':') && !address.startsWith('[') ? `[${address}]` : address;
}

/** `uri-host [ ":" port ]` (RFC 9110 §7.2); what is none has no name that could be allowed. */
function parseHost(host: string): { name: string; port?: string | undefined } {
  const [, name = '', port] = /^(\[[\da-f:.]+\]|[^:[\]]+)(?::(\d{1,5}))?$/i.exec(host) ?? [];
  return { name: canonicalName(name), port };
}

/** Lower case, and an IPv6 address in its shortest form. */
function canonicalName(name: string): string {
  if (!name.startsWith('[')) return name.toLowerCase();
  return URL.canParse(`http://${name}`) ? new URL(`http://${name}`).hostname : '';
}

/**
 * A gateway that only this machine can reach serves every page that this machine serves to itself; any other gateway
 * serves the pages that are configured.
 */
function originRule({ origins, publicUrl, listenHost }: GuardRules): (origin: string) => boolean {
  if (origins.includes('*')) return () => true;
  const allowed = new Set([...origins, ...(publicUrl ? [publicUrl.origin] : [])].map(canonicalOrigin));
  const local = isLoopbackAddress(listenHost);
  return (origin) => allowed.has(origin) || allowed.has(canonicalOrigin(origin)) || (local && isLoopbackOrigin(origin));
}

/** As browsers send it; `null` and the origins of browser extensions are kept as they are, in lower case. */
function canonicalOrigin(origin: string): string {
  const lower = origin.toLowerCase();
  if (!/^https?:\/\/[^/?#@]+$/.test(lower) || !URL.canParse(lower)) return lower;
  return new URL(lower).origin;
}

function isLoopbackOrigin(origin: string): boolean {
  const [, host] = /^https?:\/\/([^/?#@]+)$/i.exec(origin) ?? [];
  return host !== undefined && loopback.includes(parseHost(host).name);
}

function isLoopbackAddress(host: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i.test(host);
}
