/** The head of an upstream's answer on its way to the client: header fields only, values as they came. */
import { isHopByHop } from '../http/headers.js';

/** The head for the client. */
export interface ClientHead {
  /** `[name, value, …]`, for `writeHead`. */
  readonly headers: string[];
  /** Bytes of the body by Content-Length; Infinity where the answer does not say. */
  readonly length: number;
  readonly eventStream: boolean;
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

/** What is found on the way through the list. */
interface Draft {
  readonly out: string[];
  readonly rules: HeadRules;
  readonly cors: boolean;
  length: number;
  eventStream: boolean;
  session: boolean;
  cacheControl: string | undefined;
  accelBuffering: string | undefined;
}

type Take = (draft: Draft, name: string, value: string) => void;

/** The fields that are looked at; everything else is copied. */
const bodyTakers: ReadonlyMap<string, Take> = new Map<string, Take>([
  [
    'content-length',
    (draft, name, value) => {
      draft.length = Number(value);
      draft.out.push(name, value);
    },
  ],
  [
    'content-type',
    (draft, name, value) => {
      draft.eventStream = isEventStream(value);
      draft.out.push(name, value);
    },
  ],
  [
    // Clients join two lines to one value, and no server knows that session.
    'mcp-session-id',
    (draft, name, value) => {
      if (!draft.session) draft.out.push(name, value);
      draft.session = true;
    },
  ],
  ['cache-control', (draft, _, value) => (draft.cacheControl = value)],
  ['x-accel-buffering', (draft, _, value) => (draft.accelBuffering = value)],
  ['www-authenticate', (draft, name, value) => draft.out.push(name, draft.rules.rewriteChallenge?.(value) ?? value)],
]);

/** The same for an answer without its body. */
const bodilessTakers: ReadonlyMap<string, Take> = new Map<string, Take>([
  ...bodyTakers,
  ['content-type', (draft, _, value) => (draft.eventStream = isEventStream(value))],
  ...['content-length', 'content-encoding', 'content-language', 'content-location', 'etag', 'last-modified'].map(
    (name): [string, Take] => [name, () => undefined],
  ),
]);

function isEventStream(contentType: string): boolean {
  return /^text\/event-stream\b/i.test(contentType);
}

/** Makes the client's head of `raw`, undici's list of names and values (bytes are Latin-1, RFC 9110 §5.5). */
export function clientHead(raw: readonly Buffer[], rules: HeadRules): ClientHead {
  const always = Object.entries(rules.always).flat();
  const takers = rules.bodiless ? bodilessTakers : bodyTakers;
  const draft: Draft = {
    out: always,
    rules,
    cors: always.length > 0,
    length: Infinity,
    eventStream: false,
    session: false,
    cacheControl: undefined,
    accelBuffering: undefined,
  };
  for (let at = 0; at < raw.length; at += 2) {
    const name = (raw[at] as Buffer).toString('latin1');
    if (isHopByHop(name)) continue;
    const lower = name.toLowerCase();
    if (draft.cors && lower.startsWith('access-control-')) continue;
    const value = (raw[at + 1] as Buffer).toString('latin1');
    const take = takers.get(lower);
    if (take === undefined) draft.out.push(name, value);
    else take(draft, name, value);
  }
  if (rules.bodiless) draft.out.push('Content-Length', '0');
  else finishLabels(draft);
  return { headers: draft.out, length: draft.length, eventStream: draft.eventStream };
}

/** Every event stream carries what keeps proxies from holding it back; other answers keep their labels. */
function finishLabels({ out, eventStream, cacheControl, accelBuffering }: Draft): void {
  if (eventStream) {
    const enough = cacheControl === undefined || /\bno-cache\b/i.test(cacheControl);
    out.push('Cache-Control', enough ? (cacheControl ?? 'no-cache') : `no-cache, ${cacheControl}`);
    out.push('X-Accel-Buffering', 'no');
    return;
  }
  if (cacheControl !== undefined) out.push('Cache-Control', cacheControl);
  if (accelBuffering !== undefined) out.push('X-Accel-Buffering', accelBuffering);
}
