/** A legacy request in the envelope of the modern era (2026-07-28, basic/index `_meta`). */
import type { TranslatedSession } from '../../sessions/session.js';
import { applySplices, editObject, findMember, objectMembers, type Span, type Splice } from '../../wire/json.js';
import type { Request } from '../../wire/jsonrpc.js';
import { metaKeys, modernRevisions } from '../../wire/meta-keys.js';

/** Trace context, by header and `_meta` key alike (2026-07-28, basic/index `_meta`; W3C Trace Context, Baggage). */
const traceKeys = ['traceparent', 'tracestate', 'baggage'] as const;

/** The trace context of the client's HTTP request. */
export type TraceHeaders = Readonly<Partial<Record<(typeof traceKeys)[number], string | string[] | undefined>>>;

/** What of a session goes along with each of its requests. */
export type Envelope = Pick<TranslatedSession, 'clientInfo' | 'clientCapabilities' | 'logLevel'>;

/**
 * The request as it goes up: its own bytes, with the envelope in `params._meta` and, where that has none, the trace
 * context of the HTTP request.
 */
export function mapRequest(request: Request, envelope: Envelope, trace: TraceHeaders): Buffer {
  const { bytes, root, params, meta, id } = request;
  const goesUpAs = upstreamId(id);
  const ofRoot: Entry[] = goesUpAs === id ? [] : [['id', goesUpAs]];
  if (params === undefined) ofRoot.push(['params', `{"_meta":${freshMeta(envelope, trace)}}`]);
  const splices = editObject(bytes, root, { set: ofRoot });
  if (meta !== undefined) splices.push(...metaEdits(bytes, meta, envelope, trace));
  else if (params !== undefined)
    splices.push(...editObject(bytes, params, { set: [['_meta', freshMeta(envelope, trace)]] }));
  return applySplices(bytes.subarray(0, root.end), splices).subarray(root.start);
}

/**
 * The id that stands for `id` upstream: the same, since a modern server keeps nothing between requests. But many
 * servers read a number as a double: an integer that would come back as another one goes up as a string.
 */
export function upstreamId(id: string): string {
  return id.startsWith('"') || String(Number(id)) === id ? id : JSON.stringify(id);
}

type Entry = readonly [key: string, json: string];

/** The envelope laid over what the caller has in `_meta`; its other members stay. */
function metaEdits(bytes: Buffer, meta: Span, envelope: Envelope, trace: TraceHeaders): Splice[] {
  const present = objectMembers(bytes, meta);
  // The three belong together: a trace of the caller's own is not mixed with that of the HTTP hop.
  const traced = traceKeys.some((key) => findMember(present, key) !== undefined);
  const set = [...envelopeEntries(envelope), ...(traced ? [] : traceEntries(trace))];
  // A level that this session did not ask for would have the upstream log to it.
  const remove = envelope.logLevel === undefined ? [metaKeys.logLevel] : [];
  return editObject(bytes, meta, { set, remove });
}

function freshMeta(envelope: Envelope, trace: TraceHeaders): string {
  const entries = [...envelopeEntries(envelope), ...traceEntries(trace)];
  return `{${entries.map(([key, json]) => `${JSON.stringify(key)}:${json}`).join(',')}}`;
}

function envelopeEntries({ clientInfo, clientCapabilities, logLevel }: Envelope): Entry[] {
  return [
    [metaKeys.protocolVersion, JSON.stringify(modernRevisions[0])],
    [metaKeys.clientInfo, clientInfo],
    [metaKeys.clientCapabilities, clientCapabilities],
    ...(logLevel === undefined ? [] : [[metaKeys.logLevel, logLevel] as const]),
  ];
}

function traceEntries(trace: TraceHeaders): Entry[] {
  return traceKeys.flatMap((key) => {
    const value = trace[key];
    return typeof value === 'string' ? [[key, JSON.stringify(value)] as const] : [];
  });
}
