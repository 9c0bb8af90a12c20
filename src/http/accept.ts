/** What a client can read (RFC 9110 §12.5.1), as far as it matters here: one JSON document, or an event stream. */

/** What the Accept header allows. */
export interface Acceptable {
  readonly json: boolean;
  readonly events: boolean;
}

/** Reads an Accept header; none, and wildcards, are taken for both. */
export function acceptableOf(accept: string | undefined): Acceptable {
  if (accept === undefined || accept.trim() === '') return { json: true, events: true };
  const ranges = accept
    .toLowerCase()
    .split(',')
    .map((range) => range.split(';').map((part) => part.trim()))
    .filter((parts) => !parts.some((part) => /^q=0(\.0*)?$/.test(part)))
    .map(([type]) => type ?? '');
  const allows = (type: string, family: string): boolean =>
    ranges.some((range) => range === type || range === family || range === '*/*');
  return { json: allows('application/json', 'application/*'), events: allows('text/event-stream', 'text/*') };
}
