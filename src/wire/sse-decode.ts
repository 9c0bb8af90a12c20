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

const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);
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

/** The fields that the standard knows; all others are ignored. */
const fields = new Map<string, (block: Block, value: Buffer) => void>([
  ['data', (block, value) => block.data.push(value)],
  ['event', (block, value) => (block.event = value.toString())],
  ['id', (block, value) => value.includes(0) || (block.id = value.toString())],
  ['retry', setRetry],
]);
const longestField = 5;

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
      const line = chunk.subarray(start, end);
      if (end === chunk.length) {
        this.#hold(line);
        break;
      }
      const event = this.#takeLine(this.#withPieces(line));
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

  /** The whole line of which `rest` is the last piece. */
  #withPieces(rest: Buffer): Buffer {
    if (this.#pieces.length === 0) return rest;
    const line = Buffer.concat([...this.#pieces, rest]);
    this.#pieces = [];
    this.#pieceBytes = 0;
    return line;
  }

  /** Takes one line without its end; an empty one finishes the block. */
  #takeLine(line: Buffer): SseEvent | undefined {
    if (this.#atStart) {
      this.#atStart = false;
      if (line.subarray(0, 3).equals(byteOrderMark)) line = line.subarray(3);
    }
    if (line.length === 0) return this.#dispatch();
    if (line[0] === colon) this.#comments++;
    else this.#takeField(line);
    return undefined;
  }

  #takeField(line: Buffer): void {
    const nameEnd = find(line, colon, 0);
    if (nameEnd > longestField) return;
    const set = fields.get(line.toString('latin1', 0, nameEnd));
    if (set === undefined) return;
    const value = line.subarray(line[nameEnd + 1] === space ? nameEnd + 2 : nameEnd + 1);
    set(this.#block, value);
    this.#block.bytes += value.length + bookkeeping;
    this.#checkSize();
  }

  #dispatch(): SseEvent | undefined {
    const { event, id, retry, data } = this.#block;
    this.#block = emptyBlock();
    if (data.length === 0 && event === undefined && id === undefined && retry === undefined) return undefined;
    return {
      ...(event ? { event } : {}),
      ...(id === undefined ? {} : { id }),
      ...(retry === undefined ? {} : { retry }),
      data: joinLines(data),
      hasData: data.length > 0,
    };
  }
}

/** Where `what` stands from `from` on, or `bytes.length`. */
function find(bytes: Buffer, what: number, from: number): number {
  const at = bytes.indexOf(what, from);
  return at === -1 ? bytes.length : at;
}

/** What may outlive its chunk: a copy, unless it is most of what it would keep in memory. */
function keep(bytes: Buffer): Buffer {
  return bytes.length * 2 >= bytes.buffer.byteLength ? bytes : Buffer.from(bytes);
}

function setRetry(block: Block, value: Buffer): void {
  const text = value.toString('latin1');
  if (/^\d{1,15}$/.test(text)) block.retry = Number(text);
}

function joinLines(lines: readonly Buffer[]): Buffer {
  if (lines.length <= 1) return lines[0] ?? nothing;
  return Buffer.concat(lines.flatMap((line, n) => (n === 0 ? [line] : [newline, line])));
}
