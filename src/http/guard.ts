/**
 * Who may talk to us at all, by Host and Origin: the protection against DNS rebinding (2026-07-28,
 * basic/transports/streamable-http "Security & Endpoint"). A guard is made once; it runs for every request.
 */
import type { IncomingMessage } from 'node:http';
import { refuse, type Refusal } from '../errors.js';

/** What a guard is made of. */
export interface GuardRules {
  /** Host names that clients may use, with or without a port; `*` allows every one. */
  readonly hosts: readonly string[];
  /** Origins of browsers, such as `https://app.example.com`; `*` allows every one. */
  readonly origins: readonly string[];
  /** Where clients see us, if that is not where we listen: its host and its origin are allowed. */
  readonly publicUrl: URL | undefined;
}

/** A guard. */
export interface Guard {
  /** The refusal of a request whose Host or Origin is not allowed. The Origin is judged first. */
  check(request: IncomingMessage): Refusal | undefined;
  /** Whether a page of this origin may call us. */
  allowsOrigin(origin: string): boolean;
}

/** The names of this machine for itself. They are always allowed: rebinding makes foreign names, never these. */
const loopback: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Makes the guard for `rules`. */
export function createGuard({ hosts, origins, publicUrl }: GuardRules): Guard {
  const hostSet = new Set([...hosts, ...(publicUrl ? [publicUrl.host] : [])].map(normalHost));
  const originSet = new Set([...origins, ...(publicUrl ? [publicUrl.origin] : [])].map((one) => one.toLowerCase()));

  const allowsOrigin = (origin: string): boolean => {
    const lower = origin.toLowerCase();
    return originSet.has(lower) || originSet.has('*') || isLoopbackOrigin(lower);
  };
  const allowsHost = (host: string): boolean => {
    const full = normalHost(host);
    const name = withoutPort(full);
    return loopback.has(name) || hostSet.has(full) || hostSet.has(name) || hostSet.has('*');
  };
  return {
    allowsOrigin,
    check: ({ headers }) => {
      const { host, origin } = headers;
      if (origin !== undefined && !allowsOrigin(origin)) return refuse('origin-not-allowed');
      if (host === undefined || !allowsHost(host)) return refuse('host-not-allowed');
      return undefined;
    },
  };
}

/** Lower case, without the port that the scheme implies. */
function normalHost(host: string): string {
  return host.toLowerCase().replace(/:(80|443)$/, '');
}

/** `[::1]:8080` → `[::1]`, `a.example:8080` → `a.example`. */
function withoutPort(host: string): string {
  return host.replace(/:\d+$/, '');
}

/** A page that this machine serves to itself, on whatever port. */
function isLoopbackOrigin(origin: string): boolean {
  const match = /^https?:\/\/(\[[^\]]*\]|[^/:]+)(?::\d+)?$/.exec(origin);
  return match !== null && loopback.has(match[1] as string);
}
