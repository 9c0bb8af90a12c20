/** Asks a server with real handshakes which legacy revisions it accepts (2025-11-25, lifecycle, "Version Negotiation"). */
import type { Readable } from 'node:stream';
import { isEventStream } from '../era/classify-probe.js';
import { gatewayInfo } from '../era/probe.js';
import type { HttpUpstream } from '../upstreams/http.js';
import { rawText } from '../wire/json.js';
import { readMessage } from '../wire/jsonrpc.js';
import { legacyRevisions } from '../wire/meta-keys.js';
import { SseDecoder } from '../wire/sse-decode.js';

/** What a server says of itself. For display only, so plain parsed JSON; every member may be anything. */
export type Claims = Readonly<Record<string, unknown>>;

/** `value` if it is an object; else one without members. */
export function claimsIn(value: unknown): Claims {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Claims) : {};
}

/** What came of the handshakes. */
export interface Handshakes {
  /** The revisions that were asked for and agreed to, newest first. */
  readonly revisions: readonly string[];
  /** The answer to the newest that was agreed to. */
  readonly result: Claims | undefined;
}

/**
 * Opens one session in every legacy revision, newest first, and ends it at once. A server that answers none is left
 * alone after the first. `timeout` is for each, in ms. Never rejects: no answer is an outcome too.
 */
export async function shakeHands(upstream: HttpUpstream, timeout: number): Promise<Handshakes> {
  const revisions: string[] = [];
  let result: Claims | undefined;
  for (const revision of legacyRevisions) {
    const answer = await initialize(upstream, revision, timeout).catch(() => undefined);
    if (answer === undefined) break;
    if (answer['protocolVersion'] !== revision) continue;
    revisions.push(revision);
    result ??= answer;
  }
  return { revisions, result };
}

async function initialize(upstream: HttpUpstream, revision: string, timeout: number): Promise<Claims | undefined> {
  const signal = AbortSignal.timeout(timeout);
  const params = { protocolVersion: revision, capabilities: {}, clientInfo: gatewayInfo };
  const response = await upstream.request(
    {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'accept-encoding': 'identity',
      },
      body: Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 'probe', method: 'initialize', params })),
      kind: 'call',
    },
    { signal },
  );
  const claims = await readResult(response.body, isEventStream(response.headers['content-type']));
  const session = response.headers['mcp-session-id'];
  if (typeof session === 'string') await endSession(upstream, session, revision, signal);
  return claims;
}

/** An answer of more bytes is none. */
const largestAnswer = 1024 * 1024;

/** The first result in a body; an event stream need not end with it. */
async function readResult(body: Readable, isStream: boolean): Promise<Claims | undefined> {
  const decoder = new SseDecoder();
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > largestAnswer) return undefined;
    if (!isStream) chunks.push(chunk);
    for (const { data } of isStream ? decoder.push(chunk) : []) {
      const claims = resultIn(data);
      if (claims !== undefined) return claims;
    }
  }
  return resultIn(Buffer.concat(chunks));
}

function resultIn(bytes: Buffer): Claims | undefined {
  const message = readMessage(bytes);
  return message.kind === 'response' ? claimsIn(JSON.parse(rawText(bytes, message.result))) : undefined;
}

/** Ends the session; a server that does not let clients do so answers 405, which is as well. */
async function endSession(upstream: HttpUpstream, id: string, revision: string, signal: AbortSignal): Promise<void> {
  const headers = { 'mcp-session-id': id, 'mcp-protocol-version': revision };
  const response = await upstream.request({ method: 'DELETE', headers, body: null, kind: 'call' }, { signal });
  response.body.destroy();
}
