/** Reads what a modern upstream answers to one request, and passes it on in the words of the legacy era. */
import type { Readable } from 'node:stream';
import { refuse, RefusalError } from '../../errors.js';
import { memberAt, rawText } from '../../wire/json.js';
import {
  idKey,
  readMessage,
  type ErrorResponse,
  type Notification,
  type Request,
  type Response,
} from '../../wire/jsonrpc.js';
import { SseDecoder } from '../../wire/sse-decode.js';
import type { TranslationContext } from '../types.js';
import { mapError, mapResult } from './map-answer.js';
import type { Reply } from './reply.js';

/** The largest answer that is taken whole, in bytes. */
const largest = 64 * 1024 * 1024;
/** How much of an event stream without events is kept, to find out whether it is bare JSON under a wrong label. */
const largestMislabelled = 1024 * 1024;
/** How much of an unintelligible answer goes into the error that tells of it. */
const snippet = 120;

/** The reader of one answer. */
export class Answers {
  readonly #request: Request;
  readonly #reply: Reply;
  readonly #context: TranslationContext;
  readonly #key: string;
  /** The caller's own progress token as raw JSON. */
  readonly #progressToken: string | undefined;

  constructor(request: Request, reply: Reply, context: TranslationContext) {
    this.#request = request;
    this.#reply = reply;
    this.#context = context;
    this.#key = idKey(request.id);
    const token = request.meta && memberAt(request.bytes, request.meta, ['progressToken'])?.value;
    this.#progressToken = token && idKey(rawText(request.bytes, token));
  }

  /** One JSON document; `status` tells a failed server from one that speaks in riddles. */
  async fromDocument(body: Readable, status: number): Promise<void> {
    const chunks: Buffer[] = [];
    let length = 0;
    for await (const chunk of body as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > largest) throw unintelligible(`it is larger than ${largest} bytes`);
      chunks.push(chunk);
    }
    const bytes = Buffer.concat(chunks, length);
    if (this.#tryAnswer(bytes)) return;
    if (status >= 400)
      throw new RefusalError(refuse('upstream-failed', { detail: `HTTP ${status} ${excerpt(bytes)}` }));
    throw unintelligible(`HTTP ${status} ${excerpt(bytes)}`);
  }

  /** An event stream: notifications as they come, then the answer. Nothing is passed on after it. */
  async fromEvents(body: Readable): Promise<void> {
    this.#reply.open();
    const decoder = new SseDecoder({ maxEventBytes: largest });
    const mislabelled: Buffer[] = [];
    let length = 0;
    let events = 0;
    for await (const chunk of body as AsyncIterable<Buffer>) {
      for (const { data, hasData } of decoder.push(chunk)) {
        events++;
        if (hasData && data.length > 0 && (await this.#take(data))) return;
      }
      length += chunk.length;
      if (events === 0 && length <= largestMislabelled) mislabelled.push(chunk);
    }
    if (events === 0 && this.#tryAnswer(Buffer.concat(mislabelled))) return;
    throw new RefusalError(refuse('upstream-reset', { detail: 'the stream ended without the answer' }));
  }

  /** Whether this event was the answer. */
  async #take(data: Buffer): Promise<boolean> {
    const message = readMessage(data);
    if (message.kind === 'response' || message.kind === 'error') return this.#answer(message);
    if (message.kind === 'notification' && this.#isForCaller(message)) await this.#reply.event(data);
    // A modern server sends no requests (2026-07-28, streamable-http "Receiving Messages"): nobody would answer them.
    else if (message.kind === 'request') this.#context.log.warn({ method: message.method }, 'upstream sent a request');
    return false;
  }

  #tryAnswer(bytes: Buffer): boolean {
    const message = readMessage(bytes);
    return (message.kind === 'response' || message.kind === 'error') && this.#answer(message);
  }

  /** Answers, if the message is for this request: an error without an id can be for no other. */
  #answer(message: Response | ErrorResponse): boolean {
    if (message.id !== undefined && idKey(message.id) !== this.#key) return false;
    if (message.kind === 'error') {
      if (codeOf(message) === '-32022') this.#context.contradict();
      this.#reply.answer(mapError(message, this.#request));
      return true;
    }
    const mapped = mapResult(message);
    if (Buffer.isBuffer(mapped)) this.#reply.answer(mapped);
    else this.#reply.refuse(mapped);
    return true;
  }

  /** Progress only with the caller's own token, value and type (2025-11-25, basic/utilities/progress). */
  #isForCaller({ method, bytes, params }: Notification): boolean {
    if (method !== 'notifications/progress') return true;
    const token = params && memberAt(bytes, params, ['progressToken'])?.value;
    return token !== undefined && idKey(rawText(bytes, token)) === this.#progressToken;
  }
}

function codeOf({ bytes, error }: ErrorResponse): string | undefined {
  const code = memberAt(bytes, error, ['code'])?.value;
  return code && rawText(bytes, code);
}

function unintelligible(detail: string): RefusalError {
  return new RefusalError(refuse('upstream-unintelligible', { detail }));
}

function excerpt(bytes: Buffer): string {
  return JSON.stringify(bytes.toString('utf8', 0, snippet));
}
