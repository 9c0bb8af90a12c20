/** Asks an upstream what it speaks (2026-07-28, server/discover). */
import { readFileSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { refuse, RefusalError } from '../errors.js';
import { within } from '../upstreams/deadline.js';
import { cellOfUpstreamError, type HttpUpstream } from '../upstreams/http.js';
import { metaKeys, modernRevisions } from '../wire/meta-keys.js';
import { SseDecoder } from '../wire/sse-decode.js';
import {
  classifyProbe,
  isEventStream,
  probeId,
  readAnswer,
  type ProbeAnswer,
  type ProbeVerdict,
} from './classify-probe.js';

/** How to ask. */
export interface ProbeOptions {
  /** The client's credential, where the upstream has none of its own. */
  readonly authorization?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The modern revisions to ask in, best first; those that we serve, unless it is given. */
  readonly revisions?: readonly [string, ...string[]];
}

/** The outcome of a probe that needs no further question. */
export type ProbeOutcome = Exclude<ProbeVerdict, { kind: 'retry' }>;

/** An answer to the probe is small; more bytes than this are not one. */
const largestAnswer = 1024 * 1024;

/** How the gateway names itself where it speaks for itself. */
export const gatewayInfo: { readonly name: string; readonly version: string } = {
  name: 'mcp-resilience',
  version: packageVersion(),
};

function packageVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

/**
 * Sends `server/discover` and judges the answer; once more in another revision where the first was refused for its
 * revision. Each question has the upstream's `firstByte` timeout for the whole answer. Rejects only with the reason of
 * `signal`: no verdict is an outcome too.
 */
export async function probeUpstream(upstream: HttpUpstream, options: ProbeOptions = {}): Promise<ProbeOutcome> {
  const served = options.revisions ?? modernRevisions;
  const ownCredential = upstream.hasOwnAuthorization;
  const judge = async (revision: string): Promise<ProbeVerdict> =>
    classifyProbe(await ask(upstream, revision, options), { revision, served, ownCredential });

  const first = await judge(served[0]);
  if (first.kind !== 'retry') return first;
  const second = await judge(first.revision);
  if (second.kind !== 'retry') return second;
  const detail = 'it refused each revision that it had named';
  return { kind: 'none', refusal: refuse('upstream-unintelligible', { detail }) };
}

async function ask(upstream: HttpUpstream, revision: string, options: ProbeOptions): Promise<ProbeAnswer> {
  const request = {
    method: 'POST',
    headers: headersFor(revision, options.authorization),
    body: discoverBody(revision),
    kind: 'call',
  } as const;
  const deadline = { ms: upstream.config.timeouts.firstByte, signal: options.signal, asked: 'the probe' };
  try {
    return await within(deadline, async (signal) => {
      const { status, headers, body } = await upstream.request(request, { signal });
      const contentType = headers['content-type'];
      const challenge = joined(headers['www-authenticate']);
      if (status < 300) checkCoding(headers['content-encoding']);
      return {
        kind: 'http',
        status,
        contentType,
        challenge,
        body: await readAnswerBytes(body, isEventStream(contentType)),
      };
    });
  } catch (error) {
    options.signal?.throwIfAborted();
    if (!(error instanceof RefusalError)) return { kind: 'failed', cell: cellOfUpstreamError(error) };
    const { cell, detail } = error.refusal;
    return { kind: 'failed', cell, detail };
  }
}

function headersFor(revision: string, authorization: string | undefined): Record<string, string> {
  return {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'accept-encoding': 'identity',
    'mcp-protocol-version': revision,
    'mcp-method': 'server/discover',
    'user-agent': `${gatewayInfo.name}/${gatewayInfo.version}`,
    ...(authorization === undefined ? {} : { authorization }),
  };
}

function discoverBody(revision: string): Buffer {
  const envelope = {
    [metaKeys.protocolVersion]: revision,
    [metaKeys.clientInfo]: gatewayInfo,
    // Nothing is declared that a client might lack.
    [metaKeys.clientCapabilities]: {},
  };
  const params = JSON.stringify({ _meta: envelope });
  return Buffer.from(`{"jsonrpc":"2.0","id":${probeId},"method":"server/discover","params":${params}}`);
}

/** Repeated lines are one list (RFC 9110 §5.3); undici gives them as an array. */
function joined(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'string' || value === undefined ? value : value.join(', ');
}

/** What we cannot read must not pass for the answer of a legacy server. */
function checkCoding(coding: string | undefined): void {
  if (coding === undefined || coding.toLowerCase() === 'identity') return;
  const detail = `its answer to the probe has the content coding ${JSON.stringify(coding)}, which was not asked for`;
  throw new RefusalError(refuse('upstream-unintelligible', { detail }));
}

/** Reads an answer to the end; of an event stream until it is there, since the stream need not end with it. */
export async function readAnswerBytes(body: Readable, isStream: boolean): Promise<Buffer> {
  const chunks: Buffer[] = [];
  const decoder = new SseDecoder();
  let length = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > largestAnswer) throw tooLarge();
    chunks.push(chunk);
    if (isStream && decoder.push(chunk).some(({ data }) => readAnswer(data) !== undefined)) break;
  }
  return Buffer.concat(chunks);
}

function tooLarge(): RefusalError {
  const detail = `its answer to the probe is larger than ${largestAnswer} bytes`;
  return new RefusalError(refuse('upstream-unintelligible', { detail }));
}
