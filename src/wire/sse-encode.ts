const lineEnd = /\r\n|\r|\n/;

/** What goes into one event; fields that are absent are not written. */
export interface OutgoingEvent {
  readonly data?: Buffer | string;
  readonly event?: string;
  readonly id?: string;
  /** Milliseconds. */
  readonly retry?: number;
}

/**
 * One event as bytes, its empty line included (WHATWG HTML §9.2.5). Every line end within the data begins a `data`
 * line of its own; a receiver joins them by `\n`, so a bare CR, which in JSON can only be white space, becomes LF.
 * Throws TypeError for a field that the format cannot carry: it would say something else to the receiver.
 */
export function encodeEvent({ data, event, id, retry }: OutgoingEvent): Buffer {
  let head = '';
  if (event !== undefined) head += field('event', event, /[\r\n]/);
  if (id !== undefined) head += field('id', id, /[\r\n\0]/);
  if (retry !== undefined) head += field('retry', String(retry), /\D/);
  if (data === undefined) return Buffer.from(`${head}\n`);
  const bytes = typeof data === 'string' ? Buffer.from(data) : data;
  return Buffer.concat([
    Buffer.from(`${head}data: `),
    hasLineEnd(bytes) ? dataLines(bytes) : bytes,
    Buffer.from('\n\n'),
  ]);
}

/** A comment as bytes: keeps a quiet stream alive. Each line of `text` becomes one; none is one empty comment. */
export function encodeComment(text = ''): Buffer {
  return Buffer.from(
    `${text
      .split(lineEnd)
      .map((line) => `: ${line}\n`)
      .join('')}\n`,
  );
}

function field(name: string, value: string, forbidden: RegExp): string {
  if (forbidden.test(value)) throw new TypeError(`an event stream cannot carry this ${name}`);
  return `${name}: ${value}\n`;
}

function hasLineEnd(data: Buffer): boolean {
  return data.includes('\n') || data.includes('\r');
}

/** Latin-1 maps every byte to itself, so that bytes which are no UTF-8 stand. */
function dataLines(data: Buffer): Buffer {
  return Buffer.from(data.toString('latin1').split(lineEnd).join('\ndata: '), 'latin1');
}
