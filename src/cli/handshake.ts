/** Asks a server with real handshakes which legacy revisions it accepts (2025-11-25, lifecycle, "Version Negotiation"). */
import { answerIn, isEventStream } from '../era/classify-probe.js';
import { gatewayInfo, readAnswerBytes } from '../era/probe.js';
import type { HttpUpstream } from '../upstreams/http.js';
import { rawText } from '../wire/json.js';
import { legacyRevisions } from '../wire/meta-keys.js';

/** What a server says of itself. For display only, so plain parsed JSON; every member may be anything. */
export type Claims = Readonly<Record<string, unknown>>;

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
  const contentType = response.headers['content-type'];
  const answer = answerIn(contentType, await readAnswerBytes(response.body, isEventStream(contentType)));
  const session = response.headers['mcp-session-id'];
  if (typeof session === 'string') await endSession(upstream, session, revision, signal);
  return answer?.kind === 'response' ? (JSON.parse(rawText(answer.bytes, answer.result)) as Claims) : undefined;
}

/** Ends the session; a server that does not let clients do so answers 405, which is as well. */
async function endSession(upstream: HttpUpstream, id: string, revision: string, signal: AbortSignal): Promise<void> {
  const headers = { 'mcp-session-id': id, 'mcp-protocol-version': revision };
  const response = await upstream.request({ method: 'DELETE', headers, body: null, kind: 'call' }, { signal });
  response.body.destroy();
}
