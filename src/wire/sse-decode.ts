import { bomLength } from './json-scan.js';

/** One dispatched block of an event stream. */
export interface SseEvent {
  /** The event's type; absent where the block named none or an empty one, which is `message`. */
  readonly event?: string;
  /** The `id` of this very block, not the last one seen; may be empty, which resets the client's. */
  readonly id?: string;
  /** Milliseconds. */
  readonly retry?: number;
  /** The data lines joined by `\n`, byte for byte as they came. May share memory with the chunk. */
  readonly data: Buffer;
  /** Whether the block had a data field: a browser dispatches no event without one. */
  readonly hasData: boolean;
}

const lf = 0x0a;
const cr = 0x0d;
const colon = 0x3a;
const space = 0x20;

const newline = Buffer.from('\n');
const nothing = Buffer.alloc(0);

/** The fields of one block so far, and the memory that they hold. */
interface Block {
  event?: string;
  id?: string;
  retry?: number;
  data: Buffer[];
  /** How many of the data lines no longer depend on a chunk of the past. */
  kept: number;
  bytes: number;
}

const emptyBlock = (): Block => ({ data: [], kept: 0, bytes: 0 });

/** A field that the standard knows; its value stands from `start` to `end`. */
interface Field {
  readonly name: string;
  readonly set: (block: Block, bytes: Buffer, start: number, end: number) => void;
}

/** The usual ones first; all others are ignored. */
const fields: readonly Field[] = [
  { name: 'data', set: (block, bytes, start, end) => block.data.push(bytes.subarray(start, end)) },
  { name: 'event', set: (block, bytes, start, end) => (block.event = bytes.toString('utf8', start, end)) },
  { name: 'id', set: setId },
  { name: 'retry', set: setRetry },
];

/** What keeping one line or one piece of a line costs beside its bytes; counts towards the limit. */
const bookkeeping = 64;

/**
 * Reads an event stream (WHATWG HTML §9.2.5–9.2.6) from chunks cut anywhere. Data stays bytes: nothing that the
 * server wrote is decoded, replaced or normalised but the ends of its lines. Comments are counted, and a block that
 * the end of the stream cuts off is dropped. Unlike in a browser, blocks without data are delivered too, as their
 * `id` and `retry` matter to a gateway.
 */
export class SseDecoder {
  readonly #maxEventBytes: number;
  #block = emptyBlock();
  /** The pieces of a line whose end has not come, and the memory that they hold. */
  #pieces: Buffer[] = [];
  #pieceBytes = 0;
  #atStart = true;
  /** The last chunk ended in CR: an LF at the start of the next belongs to it. */
  #afterCr = false;
  #comments = 0;

  /** `maxEventBytes` bounds the memory of one unfinished event (default 16 MiB). */
  constructor(options: { maxEventBytes?: number } = {}) {
    this.#maxEventBytes = options.maxEventBytes ?? 16 * 1024 * 1024;
  }

  /** How many comment lines came so far. */
  get comments(): number {
    return this.#comments;
  }

  /**
   * Takes the next bytes and answers the events that they complete. Throws RangeError when an event grows beyond
   * the limit; the stream cannot be read on after that.
   */
  push(chunk: Buffer): SseEvent[] {
    const events: SseEvent[] = [];
    if (chunk.length === 0) return events;
    let start = this.#afterCr && chunk[0] === lf ? 1 : 0;
    this.#afterCr = chunk[chunk.length - 1] === cr;
    let nextLf = find(chunk, lf, start);
    let nextCr = find(chunk, cr, start);
    while (start < chunk.length) {
      const end = Math.min(nextLf, nextCr);
      if (end === chunk.length) {
        this.#hold(chunk.subarray(start));
        break;
      }
      const isWhole = this.#pieces.length === 0;
      const event = isWhole ? this.#takeLine(chunk, start, end) : this.#takePieces(chunk.subarray(start, end));
      if (event !== undefined) events.push(event);
      start = end === nextCr && nextLf === end + 1 ? end + 2 : end + 1;
      if (nextLf < start) nextLf = find(chunk, lf, start);
      if (nextCr < start) nextCr = find(chunk, cr, start);
    }
    this.#keepData();
    return events;
  }

  /** The stream has ended: the standard drops what no empty line has finished, so there is never an event to answer. */
  end(): SseEvent[] {
    this.#pieces = [];
    this.#block = emptyBlock();
    return [];
  }

  #hold(piece: Buffer): void {
    this.#pieces.push(keep(piece));
    this.#pieceBytes += piece.length + bookkeeping;
    this.#checkSize();
  }

  #keepData(): void {
    const block = this.#block;
    for (; block.kept < block.data.length; block.kept++) block.data[block.kept] = keep(block.data[block.kept]!);
  }

  #checkSize(): void {
    if (this.#pieceBytes + this.#block.bytes > this.#maxEventBytes)
      throw new RangeError(`an event of the stream is larger than ${this.#maxEventBytes} bytes`);
  }

  /** Takes the line of which `rest` is the last piece. */
  #takePieces(rest: Buffer): SseEvent | undefined {
    const line = Buffer.concat([...this.#pieces, rest]);
    this.#pieces = [];
    this.#pieceBytes = 0;
    return this.#takeLine(line, 0, line.length);
  }

  /** Takes one line without its end; an empty one finishes the block. */
  #takeLine(bytes: Buffer, start: number, end: number): SseEvent | undefined {
    if (this.#atStart) {
      this.#atStart = false;
      start += bomLength(bytes.subarray(start, end));
    }
    if (start === end) return this.#dispatch();
    if (bytes[start] === colon) this.#comments++;
    else this.#takeField(bytes, start, end);
    return undefined;
  }

  #takeField(bytes: Buffer, start: number, end: number): void {
    const field = fields.find(({ name }) => isNamed(name, bytes, start, end));
    if (field === undefined) return;
    start = Math.min(start + field.name.length + 1, end); // past the colon, if there is one
    if (bytes[start] === space) start++; // never beyond the value: at its end stands a line end
    field.set(this.#block, bytes, start, end);
    this.#block.bytes += end - start + bookkeeping;
    this.#checkSize();
  }

  #dispatch(): SseEvent | undefined {
    const { event, id, retry, data } = this.#block;
    this.#block = emptyBlock();
    if (data.length === 0 && event === undefined && id === undefined && retry === undefined) return undefined;
    const dispatched: Writable<SseEvent> = { data: joinLines(data), hasData: data.length > 0 };
    if (event) dispatched.event = event;
    if (id !== undefined) dispatched.id = id;
    if (retry !== undefined) dispatched.retry = retry;
    return dispatched;
  }
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** Where `what` stands from `from` on, or `bytes.length`. */
function find(bytes: Buffer, what: number, from: number): number {
  const at = bytes.indexOf(what, from);
  return at === -1 ? bytes.length : at;
}

/** What may outlive its chunk: a copy, unless it is most of what it would keep in memory. */
function keep(bytes: Buffer): Buffer {
  return bytes.length * 2 >= bytes.buffer.byteLength ? bytes : Buffer.from(bytes);
}

/** Whether the line has this field name: up to its colon, or all of it. */
function isNamed(name: string, bytes: Buffer, start: number, end: number): boolean {
  const nameEnd = start + name.length;
  if (nameEnd > end || (nameEnd < end && bytes[nameEnd] !== colon)) return false;
  for (let i = 0; i < name.length; i++) if (bytes[start + i] !== name.charCodeAt(i)) return false;
  return true;
}

function setId(block: Block, bytes: Buffer, start: number, end: number): void {
  const id = bytes.toString('utf8', start, end);
  if (!id.includes('\0')) block.id = id;
}

/** Digits only; not so many that the number would no longer be exact. */
function setRetry(block: Block, bytes: Buffer, start: number, end: number): void {
  const text = bytes.toString('latin1', start, end);
  if (/^\d{1,15}$/.test(text)) block.retry = Number(text);
}

function joinLines(lines: readonly Buffer[]): Buffer {
  if (lines.length <= 1) return lines[0] ?? nothing;
  return Buffer.concat(lines.flatMap((line, n) => (n === 0 ? [line] : [newline, line])));
}
