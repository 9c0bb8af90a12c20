/** A legacy request in the envelope of the modern era (2026-07-28, basic/index `_meta`). */
import type { TranslatedSession } from '../../sessions/session.js';
import { applySplices, editObject, findMember, objectMembers } from '../../wire/json.js';
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
 * context of the HTTP request. The id stays: a modern upstream keeps no state between requests.
 */
export function mapRequest(request: Request, envelope: Envelope, trace: TraceHeaders): Buffer {
  const { bytes, root, params, meta } = request;
  const own = envelopeEntries(envelope);
  if (meta !== undefined) {
    const present = objectMembers(bytes, meta);
    const set = [...own, ...traceEntries(trace).filter(([key]) => findMember(present, key) === undefined)];
    // A level that this client did not ask for would have the upstream log to it.
    const remove = envelope.logLevel === undefined ? [metaKeys.logLevel] : [];
    return applySplices(bytes, editObject(bytes, meta, { set, remove }));
  }
  const entries = [...own, ...traceEntries(trace)].map(([key, json]) => `${JSON.stringify(key)}:${json}`);
  const fresh = `{${entries.join(',')}}`;
  const edit =
    params === undefined
      ? editObject(bytes, root, { set: [['params', `{"_meta":${fresh}}`]] })
      : editObject(bytes, params, { set: [['_meta', fresh]] });
  return applySplices(bytes, edit);
}

type Entry = readonly [key: string, json: string];

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
