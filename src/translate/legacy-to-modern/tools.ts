/**
 * The tools of an upstream on behalf of one client: what a call has to say in headers, and what to do when the upstream
 * misses something there (2026-07-28, streamable-http "Custom Headers from Tool Parameters", "Client Behavior").
 */
import { Readable } from 'node:stream';
import type { Exchange } from '../../edge/exchange.js';
import { errorCodeIn } from '../../era/contradictions.js';
import type { UpstreamResponse } from '../../upstreams/http.js';
import { paramString, readMessage, type ErrorResponse, type Request, type Response } from '../../wire/jsonrpc.js';
import { paramHeaders } from '../param-headers.js';
import { readToolList, type KnownTool } from '../tool-list.js';
import type { TranslationContext } from '../types.js';
import { documentsOf, isEventStream, letGo } from './documents.js';

/** A call of one client. */
export interface ToolCall {
  readonly exchange: Exchange;
  readonly request: Request;
  readonly context: TranslationContext;
}

/** Sends a request of this client and resolves at the head of the answer. */
export type Send = (
  request: Request,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
) => Promise<UpstreamResponse>;

/** What is known of the called tool; undefined where none is called, or one that needs nothing. */
export function calledTool({ exchange, request, context }: ToolCall): KnownTool | undefined {
  if (request.method !== 'tools/call') return undefined;
  const name = paramString(request, 'name');
  return name === undefined ? undefined : context.tools.find(exchange.upstream.name, context.owner, name);
}

/** 2026-07-28, basic/index "Error Codes". */
const headerMismatch = '-32020';

/**
 * Sends the request with the headers that mirror its arguments, until `signal` aborts. Where the upstream misses one, its
 * tools are asked for again and the request is sent once more: it was refused before it was executed.
 */
export async function sendMirrored(
  call: ToolCall & { readonly signal: AbortSignal },
  send: Send,
): Promise<UpstreamResponse> {
  const { request, signal } = call;
  const headers = (): Record<string, string> => paramHeaders(request, calledTool(call)?.params ?? []);
  const sent = headers();
  const response = await send(request, sent, signal);
  if (request.method !== 'tools/call' || response.status !== 400 || isEventStream(response)) return response;
  const refused = await wholeOf(response);
  const asItWas = { ...response, body: Readable.from([refused]) };
  if (errorCodeIn(refused) !== headerMismatch) return asItWas;
  await refreshTools(call, send);
  const better = headers();
  return JSON.stringify(better) === JSON.stringify(sent) ? asItWas : send(request, better, signal);
}

/** The one document of an answer that is no stream. */
async function wholeOf(response: UpstreamResponse): Promise<Buffer> {
  for await (const document of documentsOf(response)) return document;
  return Buffer.alloc(0);
}

/** A list of more pages is not read to its end. */
const mostPages = 100;

/** Reads the upstream's list of tools. Where that fails, the call stays as it was: refused. */
async function refreshTools(call: ToolCall & { readonly signal: AbortSignal }, send: Send): Promise<void> {
  const { exchange, context, signal } = call;
  const limit = AbortSignal.any([signal, AbortSignal.timeout(exchange.upstream.config.timeouts.firstByte)]);
  try {
    let cursor: string | undefined;
    for (let page = 0; page < mostPages; page++) {
      const answer = await answerOf(await send(listRequest(cursor), {}, limit));
      if (answer?.kind !== 'response') return;
      const list = readToolList(answer.bytes, answer.result);
      context.tools.learn(exchange.upstream.name, context.owner, list);
      if (list.nextCursor === undefined || list.nextCursor === cursor) return;
      cursor = list.nextCursor;
    }
  } catch (error) {
    if (signal.aborted) throw error;
    context.log.info({ err: error, requestId: exchange.requestId }, 'the tools could not be listed again');
  }
}

/** `tools/list` as the client would ask; `cursor` is raw JSON. */
function listRequest(cursor: string | undefined): Request {
  const params = cursor === undefined ? '{}' : `{"cursor":${cursor}}`;
  const text = `{"jsonrpc":"2.0","id":"mcp-resilience","method":"tools/list","params":${params}}`;
  return readMessage(Buffer.from(text)) as Request;
}

/** The result or error within an answer. */
async function answerOf(response: UpstreamResponse): Promise<Response | ErrorResponse | undefined> {
  try {
    for await (const document of documentsOf(response)) {
      const message = readMessage(document);
      if (message.kind === 'response' || message.kind === 'error') return message;
    }
    return undefined;
  } finally {
    letGo(response.body);
  }
}
