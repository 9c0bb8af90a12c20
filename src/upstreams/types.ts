/** What goes to an upstream and what comes back. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';

/** A `call` ends with its answer; a `stream` (GET, `subscriptions/listen`) may be silent for hours. */
export type RequestKind = 'call' | 'stream';

/** One request to an upstream. */
export interface UpstreamRequest {
  readonly method: string;
  /** A flat `[name, value, …]` list, or a record. Hop-by-hop fields, Host and, with a Buffer, Content-Length stay out. */
  readonly headers: readonly string[] | Readonly<Record<string, string>>;
  readonly body: Buffer | Readable | null;
  readonly kind: RequestKind;
  /** The query of the client's URL, `?` included; joined to the one that the upstream's URL may have. */
  readonly search?: string | undefined;
}

/** The head of an answer, and its body to be read or destroyed. */
export interface UpstreamResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Destroying it cancels the request. An upstream that breaks off is its `error` event. */
  readonly body: Readable;
}
