/** Cross-origin access for browsers (WHATWG Fetch, "CORS protocol"), on every answer, errors included. */
import type { IncomingMessage } from 'node:http';

/** What belongs to the service: who may call it, which headers a page may send and which it may read. */
export interface CorsRules {
  /** Whether a page of this origin may call. */
  readonly allowsOrigin: (origin: string) => boolean;
  readonly methods: readonly string[];
  readonly allow: readonly string[];
  /** A page may send every header whose lower-case name begins so: a browser knows no wildcard within a name. */
  readonly allowPrefix: string;
  readonly expose: readonly string[];
}

type Headers = Readonly<Record<string, string>>;

/** The CORS headers of one service; names are lower-case. */
export interface Cors {
  /** For every answer to `request`; none where there is no Origin: neither a POST nor an event stream is cached. */
  headersFor(request: Pick<IncomingMessage, 'headers'>): Headers;
  /**
   * What an answer to OPTIONS has besides, or undefined where `request` is something else. A preflight and a plain
   * OPTIONS (RFC 9110 §9.3.7) are told the same.
   */
  preflight(request: Pick<IncomingMessage, 'headers' | 'method'>): Headers | undefined;
}

const none: Headers = {};
const varies: Headers = { vary: 'Origin' };

/** Makes the CORS headers for `rules`. */
export function createCors(rules: CorsRules): Cors {
  const exposed = { 'access-control-expose-headers': rules.expose.join(', '), ...varies };
  const allow = rules.allow.join(', ');
  const methods = rules.methods.join(', ');
  return {
    headersFor: ({ headers: { origin } }) => {
      if (origin === undefined) return none;
      return rules.allowsOrigin(origin) ? { 'access-control-allow-origin': origin, ...exposed } : varies;
    },
    preflight: ({ method, headers }) => {
      if (method !== 'OPTIONS') return undefined;
      const asked = String(headers['access-control-request-headers'] ?? '').split(',');
      const extra = asked.map((name) => name.trim()).filter((name) => belongs(name, rules.allowPrefix));
      return {
        allow: methods,
        'access-control-allow-methods': methods,
        'access-control-allow-headers': [allow, ...extra].join(', '),
        'access-control-max-age': '7200',
      };
    },
  };
}

/** A field name (RFC 9110 §5.6.2, token) of the family that is allowed. */
function belongs(name: string, prefix: string): boolean {
  return name.toLowerCase().startsWith(prefix) && /^[\w!#$%&'*+.^`|~-]+$/.test(name);
}
