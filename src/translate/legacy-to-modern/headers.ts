/** The header fields of a call on its way to a modern upstream. */
import type { IncomingMessage } from 'node:http';
import { forwardedHeaders } from '../../http/headers.js';
import type { Request } from '../../wire/jsonrpc.js';
import { standardHeaders } from '../../wire/mcp-headers.js';
import { modernRevisions } from '../../wire/meta-keys.js';

/** The query of the client's URL, `?` included; undefined without one. */
export function searchOf({ url = '' }: IncomingMessage): string | undefined {
  const query = url.indexOf('?');
  return query === -1 ? undefined : url.slice(query);
}

/** Fields of this hop, never copied across from the client's. */
const ownFields: Readonly<Record<string, string>> = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  // Nothing here decodes, so nothing may be encoded.
  'accept-encoding': 'identity',
  'mcp-protocol-version': modernRevisions[0],
};

/** What the client says to the gateway about a body or a session that the upstream never sees. */
const notCopied: ReadonlySet<string> = new Set([
  ...Object.keys(ownFields),
  'content-encoding',
  'last-event-id',
  'mcp-session-id',
  'mcp-method',
  'mcp-name',
]);

/**
 * The fields that go up with `request`, a flat `[name, value, …]` list: those of the client's HTTP request but for what
 * belongs to its own hop, then ours, computed from what goes up (2026-07-28, streamable-http "Request Metadata").
 */
export function outgoingHeaders(incoming: IncomingMessage, request: Request): string[] {
  const copied = forwardedHeaders(incoming, false);
  const out: string[] = [];
  for (let at = 0; at < copied.length; at += 2) {
    const name = (copied[at] as string).toLowerCase();
    if (!notCopied.has(name) && !name.startsWith('mcp-param-')) out.push(name, copied[at + 1] as string);
  }
  return out.concat(Object.entries({ ...ownFields, ...standardHeaders(request) }).flat());
}
