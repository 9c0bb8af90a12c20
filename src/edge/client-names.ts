/** Who the clients are, as they say themselves: for a metric only. */
import type { Recorder } from '../metrics/record.js';
import { kindOf, memberAt, stringValue, type Span } from '../wire/json.js';
import type { Era } from '../wire/meta-keys.js';

/** Counts the client that calls itself so: `info` is the span of a `clientInfo` object within `bytes`. */
export function noteClient(recorder: Recorder, era: Era, bytes: Buffer, info: Span | undefined): void {
  if (info === undefined || kindOf(bytes, info) !== 'object') return;
  const text = (key: string): string => {
    const value = memberAt(bytes, info, [key])?.value;
    return value !== undefined && kindOf(bytes, value) === 'string' ? stringValue(bytes, value) : '';
  };
  recorder.clientSeen(text('name'), text('version'), era);
}
