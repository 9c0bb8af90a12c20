/** Asks an upstream what it speaks (2026-07-28, server/discover). */
import { readFileSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { refuse, RefusalError, type Cell } from '../errors.js';
import type { HttpUpstream } from '../upstreams/http.js';
import { metaKeys, modernRevisions } from '../wire/meta-keys.js';
import { readMessage } from '../wire/jsonrpc.js';
import { SseDecoder, type SseEvent } from '../wire/sse-decode.js';
import { classifyProbe, type ProbeAnswer, type ProbeVerdict } from './classify-probe.js';

/** How to ask. */
export interface ProbeOptions {
  /** The client's credential, where the upstream has none of its own. */
  readonly authorization?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The outcome of a probe that needs no further question. */
export type ProbeOutcome = Exclude<ProbeVerdict, { kind: 'retry' }>;

/** An answer to the probe is small; more than this is not one. */
const largestAnswer = 1024 * 1024;

/** How the gateway names itself where it speaks for itself. */
export const gatewayInfo: { readonly name: string; readonly version: string } = {
  name: 'mcp-resilience',
  version: (JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string })
    .version,
};

/**
 * Sends `server/discover` and judges the answer; once more in another revision where the first was refused for
 * its revision. Never rejects but with the signal's reason: no verdict is an outcome too.
 */
export async function probeUpstream(upstream: HttpUpstream, options: ProbeOptions = {}): Promise<ProbeOutcome> {
  const first = classifyProbe(await ask(upstream, modernRevisions[0], options));
  if (first.kind !== 'retry') return first;
  const second = classifyProbe(await ask(upstream, first.revision, options));
  if (second.kind !== 'retry') return second;
  return {
    kind: 'none',
    refusal: refuse('upstream-unintelligible', { detail: 'it refused every revision that it named' }),
  };
}

async function ask(upstream: HttpUpstream, revision: string, options: ProbeOptions): Promise<ProbeAnswer> {
  const { firstByte } = upstream.config.timeouts;
  // The deadline covers the body too: a server may open an event stream and never answer on it.
  const deadline = AbortSignal.timeout(firstByte);
  const signal = options.signal === undefined ? deadline : AbortSignal.any([options.signal, deadline]);
  try {
    const response = await upstream.request(
      {
        method: 'POST',
        headers: headersFor(revision, options.authorization),
        body: discoverBody(revision),
        kind: 'call',
      },
      { signal },
    );
    const contentType = response.headers['content-type'];
    const body = await readAnswer(response.body, /^text\/event-stream\b/i.test(contentType ?? ''));
    const challenge = response.headers['www-authenticate'];
    return { kind: 'http', status: response.status, contentType, challenge, body };
  } catch (error) {
    options.signal?.throwIfAborted();
    return { kind: 'failed', cell: cellOf(error, deadline) };
  }
}

function cellOf(error: unknown, deadline: AbortSignal): Cell {
  if (error instanceof RefusalError) return error.refusal.cell;
  return deadline.aborted ? 'upstream-timeout' : 'upstream-reset';
}

function headersFor(revision: string, authorization: string | undefined): Record<string, string> {
  return {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'accept-encoding': 'identity',
    'mcp-protocol-version': revision,
    'mcp-method': 'server/discover',
    ...(authorization === undefined ? {} : { authorization }),
  };
}

function discoverBody(revision: string): Buffer {
  const envelope = {
    [metaKeys.protocolVersion]: revision,
    [metaKeys.clientInfo]: gatewayInfo,
    [metaKeys.clientCapabilities]: {},
  };
  const message = { jsonrpc: '2.0', id: 'probe', method: 'server/discover', params: { _meta: envelope } };
  return Buffer.from(JSON.stringify(message));
}

/**
 * Reads to the end or to the bound. Of an event stream only the answer is returned, as soon as it is there: the
 * stream need not end with it.
 */
export async function readAnswer(body: Readable, isStream: boolean): Promise<Buffer> {
  const chunks: Buffer[] = [];
  const decoder = new SseDecoder();
  let length = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    const answer = isStream ? decoder.push(chunk).find(isAnswer) : undefined;
    if (answer !== undefined) return answer.data;
    if (length > largestAnswer) break;
  }
  return Buffer.concat(chunks);
}

function isAnswer({ data }: SseEvent): boolean {
  const { kind } = readMessage(data);
  return kind === 'response' || kind === 'error';
}
