/** Cuts an upstream's answer into JSON documents: one, or one per event of a stream. */
import type { Readable } from 'node:stream';
import { refuse, RefusalError } from '../../errors.js';
import { cellOfUpstreamError, type UpstreamResponse } from '../../upstreams/http.js';
import { SseDecoder, type SseEvent } from '../../wire/sse-decode.js';

/** The largest document that is taken, in bytes. */
const largest = 64 * 1024 * 1024;

/** Whether the answer is labelled as an event stream. */
export function isEventStream({ headers }: Pick<UpstreamResponse, 'headers'>): boolean {
  return /^text\/event-stream\b/i.test(headers['content-type'] ?? '');
}

/**
 * The documents of an answer as they arrive, whatever they say: of an event stream the data of each `message`; of
 * anything else the whole body. Bare JSON under the label of an event stream is told by its first byte, since no
 * field of a stream begins like that. The body is left to the caller, also when it stops early. Throws a RefusalError:
 * `upstream-reset`, `upstream-timeout`, or `upstream-unintelligible` for a document beyond all bounds.
 */
export async function* documentsOf(response: UpstreamResponse): AsyncGenerator<Buffer, void, undefined> {
  let decoder = isEventStream(response) ? new SseDecoder({ maxEventBytes: largest }) : undefined;
  let begun = false;
  const whole: Buffer[] = [];
  let length = 0;
  try {
    for await (const piece of response.body.iterator({ destroyOnReturn: false })) {
      const chunk: Buffer = begun ? (piece as Buffer) : withoutSpace(piece as Buffer);
      if (!begun && chunk[0] === openBrace) decoder = undefined;
      begun ||= chunk.length > 0;
      if (decoder !== undefined) {
        for (const event of decoder.push(chunk)) if (isMessage(event)) yield event.data;
        continue;
      }
      length += chunk.length;
      if (length > largest) throw new RangeError(`it is larger than ${largest} bytes`);
      whole.push(chunk);
    }
  } catch (error) {
    throw new RefusalError(
      error instanceof RangeError
        ? refuse('upstream-unintelligible', { detail: error.message })
        : refuse(cellOfUpstreamError(error)),
      { cause: error },
    );
  }
  if (decoder === undefined) yield Buffer.concat(whole, length);
}

/** Priming events have no data; events of other types (`ping`) are no messages (WHATWG HTML §9.2; 2025-11-25, transports). */
function isMessage({ event, data }: SseEvent): boolean {
  return data.length > 0 && (event === undefined || event === 'message');
}

const openBrace = 0x7b;
const byteOrderMark = Buffer.from('\ufeff');
const spaces: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d]);

/** Leading white space means nothing, neither in JSON nor, as long as no event has begun, in a stream. */
function withoutSpace(chunk: Buffer): Buffer {
  const from = chunk.subarray(0, 3).equals(byteOrderMark) ? 3 : 0;
  const start = chunk.findIndex((byte, at) => at >= from && !spaces.has(byte));
  return start === -1 ? chunk.subarray(chunk.length) : chunk.subarray(start);
}

/** How long a stream may take to end after its answer, in milliseconds. */
const lastWords = 1_000;

/**
 * Wants nothing more of a body. It is read on for a moment, since a connection whose answer was read to its end can
 * be used again; then it is closed, which in the modern era cancels (2026-07-28, streamable-http "Cancellation").
 */
export function letGo(body: Readable): void {
  if (body.closed) return;
  const timer = setTimeout(() => body.destroy(), lastWords).unref();
  body.once('close', () => clearTimeout(timer)).resume();
}
