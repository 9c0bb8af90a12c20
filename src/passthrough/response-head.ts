/** The head of an upstream's answer on its way to the client: header fields only, values as they came. */
import type { IncomingHttpHeaders } from 'node:http';
import { isHopByHop, isOneOf, nameTable } from '../http/headers.js';

/** The head of an upstream's answer. */
export interface UpstreamHead {
  /** Names and values as on the wire; their bytes are Latin-1 (RFC 9110 §5.5). */
  readonly raw: readonly Buffer[];
  /** The same by lower-case name. */
  readonly headers: IncomingHttpHeaders;
}

/** What the gateway adds or rewrites. */
export interface HeadRules {
  /** On every answer of the gateway (CORS); an upstream's own CORS fields give way to it. */
  readonly always: Readonly<Record<string, string>>;
  /** Rewrites each WWW-Authenticate value. */
  readonly rewriteChallenge?: ((value: string) => string) | undefined;
  /** The body stays behind, and with it the fields that describe it. */
  readonly bodiless?: boolean;
}

const onStreams = nameTable(['cache-control', 'x-accel-buffering']);
const ofTheBody = nameTable([
  'content-encoding',
  'content-language',
  'content-length',
  'content-location',
  'content-type',
  'etag',
  'last-modified',
]);
const nothing = nameTable([]);

/** Whether the answer is a stream of events. */
export function isEventStream(headers: IncomingHttpHeaders): boolean {
  return /^text\/event-stream\b/i.test(headers['content-type'] ?? '');
}

/** The header fields for the client, a flat `[name, value, …]` list for `writeHead`. */
export function clientHeaders({ raw, headers }: UpstreamHead, rules: HeadRules): string[] {
  const stream = isEventStream(headers);
  const replaced = rules.bodiless ? ofTheBody : stream ? onStreams : nothing;
  const out = Object.entries(rules.always).flat();
  const ownCors = out.length > 0;
  let session = false;
  for (let at = 0; at < raw.length; at += 2) {
    const name = (raw[at] as Buffer).toString('latin1');
    if (isHopByHop(name) || isOneOf(replaced, name)) continue;
    const lower = name.toLowerCase();
    if (ownCors && lower.startsWith('access-control-')) continue;
    if (lower === 'mcp-session-id') {
      // Clients join two lines to one value, and no server knows that session.
      if (session) continue;
      session = true;
    }
    const value = (raw[at + 1] as Buffer).toString('latin1');
    out.push(name, lower === 'www-authenticate' ? (rules.rewriteChallenge?.(value) ?? value) : value);
  }
  if (rules.bodiless) out.push('Content-Length', '0');
  else if (stream) out.push('Cache-Control', uncached(headers), 'X-Accel-Buffering', 'no');
  return out;
}

/** What an event stream says on caching: the upstream's words, and that it must not be held back. */
function uncached(headers: IncomingHttpHeaders): string {
  const said = headers['cache-control'];
  if (said === undefined) return 'no-cache';
  return /\bno-cache\b/i.test(said) ? said : `no-cache, ${said}`;
}
