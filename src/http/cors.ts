/** Cross-origin access for browsers (WHATWG Fetch, "CORS protocol"), on every answer, errors included. */
import type { IncomingMessage } from 'node:http';

/** The header names that belong to the service: which a page may send, and which it may read. */
export interface CorsNames {
  readonly allow: readonly string[];
  /** A page may send every header whose name begins so: a browser knows no wildcard within a name. */
  readonly allowPrefix: string;
  readonly expose: readonly string[];
  readonly methods: readonly string[];
}

type Headers = Readonly<Record<string, string>>;

/** The CORS headers of one service. */
export interface Cors {
  /** For every answer to `request`; none where there is no Origin. The Origin was judged before. */
  headersFor(request: IncomingMessage): Headers;
  /** The headers of the answer to a preflight, or undefined where `request` is none. */
  preflight(request: IncomingMessage): Headers | undefined;
}

const none: Headers = {};

/** Makes the CORS headers for `names`. */
export function createCors(names: CorsNames): Cors {
  const expose = names.expose.join(', ');
  const allow = names.allow.join(', ');
  const methods = names.methods.join(', ');
  return {
    headersFor: ({ headers: { origin } }) =>
      origin === undefined
        ? none
        : { 'access-control-allow-origin': origin, 'access-control-expose-headers': expose, vary: 'Origin' },
    preflight: ({ method, headers }) => {
      if (method !== 'OPTIONS') return undefined;
      const asked = String(headers['access-control-request-headers'] ?? '').split(',');
      const extra = asked.map((name) => name.trim()).filter((name) => isSafe(name, names.allowPrefix));
      return {
        'access-control-allow-methods': methods,
        'access-control-allow-headers': [allow, ...extra].join(', '),
        'access-control-max-age': '7200',
      };
    },
  };
}

/** A header name, and one of the family that is allowed. */
function isSafe(name: string, prefix: string): boolean {
  return /^[\w-]+$/.test(name) && name.toLowerCase().startsWith(prefix);
}
