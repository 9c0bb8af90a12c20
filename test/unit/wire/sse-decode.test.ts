import { isDeepStrictEqual } from 'node:util';
import { createParser } from 'eventsource-parser';
import fc from 'fast-check';
import t from 'tap';
import { SseDecoder, type SseEvent } from '../../../src/wire/sse-decode.js';
import { utf8 } from './support.js';

/** The events of a stream that comes in these chunks, with data as text for comparison. */
function decode(...chunks: (string | Buffer)[]): (Omit<SseEvent, 'data'> & { data: string })[] {
  const decoder = new SseDecoder();
  const events = chunks.flatMap((chunk) => decoder.push(typeof chunk === 'string' ? utf8(chunk) : chunk));
  return [...events, ...decoder.end()].map((event) => ({ ...event, data: event.data.toString('latin1') }));
}

const data = (text: string) => ({ data: text, hasData: true });
const noData = { data: '', hasData: false };

const table: [why: string, stream: string, events: ReturnType<typeof decode>][] = [
  ['one event', 'data: x\n\n', [data('x')]],
  ['one space is no part of the value', 'data:  x \n\ndata:x\n\ndata:\tx\n\n', [data(' x '), data('x'), data('\tx')]],
  ['several lines', 'data: a\ndata: b\ndata:\n\n', [data('a\nb\n')]],
  ['empty data', 'data\n\ndata:\n\ndata: \n\n', [data(''), data(''), data('')]],
  ['two empty lines of data', 'data\ndata\n\n', [data('\n')]],
  ['CRLF', 'data: a\r\ndata: b\r\n\r\ndata: c\r\n\r\n', [data('a\nb'), data('c')]],
  ['CR', 'data: a\rdata: b\r\rdata: c\r\r', [data('a\nb'), data('c')]],
  ['mixed ends', 'data: a\r\ndata: b\rdata: c\n\r\ndata: d\n\rdata: e\r\n\n', [data('a\nb\nc'), data('d'), data('e')]],
  ['LF CR is two ends', 'data: a\n\rdata: b\n\n', [data('a'), data('b')]],
  ['all fields', 'id: 7\nevent: ping\nretry: 250\ndata: x\n\n', [{ event: 'ping', id: '7', retry: 250, ...data('x') }]],
  ['the last of a repeated field', 'event: a\nevent: b\nid: 1\nid: 2\ndata\n\n', [{ event: 'b', id: '2', ...data('') }]],
  ['an empty event type is none', 'event: a\nevent:\ndata: x\n\n', [data('x')]],
  ['an empty id is one', 'id\ndata: x\n\nid:\ndata: y\n\n', [{ id: '', ...data('x') }, { id: '', ...data('y') }]],
  ['id is not carried on', 'id: 1\ndata: x\n\ndata: y\n\n', [{ id: '1', ...data('x') }, data('y')]],
  ['an id with NUL is ignored', 'id: a\0b\ndata: x\n\nid: 1\nid: \0\ndata\n\n', [data('x'), { id: '1', ...data('') }]],
  ['retry is digits only', 'retry: 1.5\ndata\n\nretry: -1\ndata\n\nretry: 10s\ndata\n\nretry:\ndata\n\nretry: 1e3\ndata\n\n', Array(5).fill(data(''))],
  ['retry: one space only', 'retry:  5\ndata\n\nretry: 5 \ndata\n\nretry:007\ndata\n\n', [data(''), data(''), { retry: 7, ...data('') }]],
  ['retry beyond all sense', `retry: ${'9'.repeat(400)}\ndata\n\n`, [data('')]],
  ['blocks without data', 'id: 1\n\nretry: 5\n\nevent: x\n\n', [{ id: '1', ...noData }, { retry: 5, ...noData }, { event: 'x', ...noData }]],
  ['a priming event', 'id: 1\nretry: 5\ndata:\n\n', [{ id: '1', retry: 5, ...data('') }]],
  ['empty lines alone', '\n\n\r\n\r\r\ndata: x\n\n\n\n', [data('x')]],
  ['comments and unknown fields', ': hi\n:\ndata: x\nfoo: bar\nfoo\n: data: y\n\n:\n\nx: y\n\nid: \0\n\n', [data('x')]],
  ['names are exact', 'Data: a\ndata : b\n data: c\ndatum: d\nda: e\ndata_: f\n\n', []],
  ['colons in values', 'data: a:b: c\ndata::\n\n', [data('a:b: c\n:')]],
  ['the last event lacks its empty line', 'data: a\n\ndata: b\n', [data('a')]],
  ['the last line lacks its end', 'data: a\n\ndata: b', [data('a')]],
  ['a CR at the very end is an end', 'data: a\r\r', [data('a')]],
  ['a byte order mark at the start only', '\ufeffdata: a\n\n\ufeffdata: b\n\n', [data('a')]],
  ['a byte order mark before an empty line', '\ufeff\ndata: a\n\n', [data('a')]],
  ['two byte order marks', '\ufeff\ufeffdata: a\n\n', []],
  ['nothing', '', []],
]; // prettier-ignore

void t.test('the grammar of WHATWG HTML §9.2.5, whole and byte by byte', async (t) => {
  for (const [why, stream, events] of table) {
    t.same(decode(stream), events, why);
    t.same(decode(...Array.from(utf8(stream), (byte) => Buffer.from([byte]))), events, `${why}, byte by byte`);
  }
});

void t.test('a CRLF that is cut in two is one end', async (t) => {
  t.same(decode('data: a\r', '\ndata: b\r', '\n\r', '\n'), [data('a\nb')]);
  t.same(decode('data: a\r', '', '\n', 'data: b\n\n'), [data('a\nb')], 'an empty chunk between');
  t.same(decode('data: a\r', '\r', '\n', 'data: b\r', '\r'), [data('a'), data('b')]);
});

void t.test('an event is there as soon as its empty line is, even if that may be half a CRLF', async (t) => {
  const decoder = new SseDecoder();
  t.equal(decoder.push(utf8('data: x\r\n\r')).length, 1);
  t.equal(decoder.push(utf8('\n')).length, 0);
  t.equal(decoder.push(utf8('data: y\n\ndata: z\n')).length, 1);
});

void t.test('data is bytes: what is no UTF-8 stands', async (t) => {
  const bytes = Buffer.from('ff00c328eda080e2', 'hex');
  const decoder = new SseDecoder();
  const [event] = decoder.push(Buffer.concat([utf8('data: '), bytes, utf8('\n\n')]));
  t.same(event?.data, bytes);
});

void t.test('comments are counted', async (t) => {
  const decoder = new SseDecoder();
  decoder.push(utf8(': a\n:\ndata: x\n: b'));
  t.equal(decoder.comments, 2, 'a comment counts when its line has ended');
  decoder.push(utf8('\n'));
  t.equal(decoder.comments, 3);
});

void t.test('what is unfinished keeps no large chunk in memory', async (t) => {
  const chunk = Buffer.alloc(65_536, ': padding\n');
  chunk.write('\ndata: x\n', chunk.length - 9);
  const decoder = new SseDecoder();
  t.same(decoder.push(chunk), []);
  const [event] = decoder.push(utf8('\n'));
  t.equal(event?.data.toString(), 'x');
  t.not(event?.data.buffer, chunk.buffer);
});

void t.test('the size of an event is bounded, the length of a stream is not', async (t) => {
  const limited = () => new SseDecoder({ maxEventBytes: 1000 });
  t.throws(() => limited().push(utf8(`data: ${'x'.repeat(1000)}`)), RangeError, 'a line without an end');
  t.throws(() => limited().push(utf8('data: 12345\n'.repeat(200))), RangeError, 'many lines');
  t.throws(() => limited().push(utf8('data\n'.repeat(200))), RangeError, 'many empty lines');
  t.throws(() => limited().push(utf8('event: x\n'.repeat(200))), RangeError, 'a field again and again');
  t.throws(() => {
    const decoder = limited();
    for (let i = 0; i < 1000; i++) decoder.push(utf8('x'));
  }, RangeError, 'an unknown field in small pieces'); // prettier-ignore

  const decoder = limited();
  t.equal(decoder.push(utf8(`data: ${'x'.repeat(900)}\n\n`.repeat(100))).length, 100, 'many events');
  t.equal(decoder.push(utf8(': keep-alive\n'.repeat(1000))).length, 0, 'many comments without an empty line');
  for (let i = 0; i < 1000; i++) decoder.push(utf8(i % 2 ? 'ive\n' : ': keep-al'));
  t.equal(decoder.comments, 1500);
  t.equal(decoder.push(utf8('data: x\n\n')).length, 1);
});

void t.test('a large event in many chunks takes linear time', async (t) => {
  const decoder = new SseDecoder();
  const piece = Buffer.alloc(16 * 1024, 'x');
  decoder.push(utf8('data: '));
  for (let i = 0; i < 512; i++) decoder.push(piece);
  t.equal(decoder.push(utf8('\n\n'))[0]?.data.length, 512 * piece.length);
  const lines = utf8('data: a\r\r'.repeat(200_000)); // no LF to be found from any place
  t.equal(new SseDecoder().push(lines).length, 200_000);
});

/** Streams rich in what matters: lines with fields, and their parts astray. */
const names = fc.constantFrom(
  'data',
  'data:',
  'data: ',
  'event: ',
  'event:',
  'id: ',
  'id:',
  ':',
  ': ',
  'foo: ',
  ' ',
  '\0',
  '\ufeff',
);
const values = fc.constantFrom('', 'a', 'é', '世', '🎉', '{"a":1}', 'b: c');
const ends = fc.constantFrom('\n', '\r', '\r\n', '\n\n', '\r\r', '\r\n\r\n');
const stream = fc
  .array(
    fc.oneof(
      { weight: 3, arbitrary: fc.tuple(names, values, ends).map((parts) => parts.join('')) },
      names,
      values,
      ends,
    ),
    { maxLength: 30, size: 'max' },
  )
  .map((pieces) => pieces.join(''));

const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12 });

function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const at = [0, ...places.map((place) => Math.floor(place * bytes.length)), bytes.length].sort((a, b) => a - b);
  return at.slice(1).map((end, i) => Buffer.from(bytes.subarray(at[i], end)));
}

void t.test('property: the events do not depend on where the stream is cut', async () => {
  fc.assert(
    fc.property(
      fc.oneof(
        stream.map(utf8),
        fc.uint8Array().map((b) => Buffer.from(b)),
      ),
      cuts,
      (bytes, places) => isDeepStrictEqual(decode(bytes), decode(...cut(bytes, places))),
    ),
    { numRuns: 1500 },
  );
});

void t.test('property: a well-known parser reads the same events', async (t) => {
  let met = 0;
  fc.assert(
    fc.property(stream, cuts, (text, places) => {
      const whole = `${text}:end\n`; // the other parser waits for what follows a CR
      const expected: unknown[] = [];
      let comments = 0;
      const parser = createParser({
        onEvent: ({ id, event, data }) => expected.push({ id, event, data }),
        onComment: () => comments++,
      });
      parser.feed(new TextDecoder().decode(utf8(whole)));

      const decoder = new SseDecoder();
      const events = cut(utf8(whole), places)
        .flatMap((chunk) => decoder.push(chunk))
        .filter(({ hasData }) => hasData)
        .map(({ id, event, data }) => ({ id, event, data: data.toString() }));
      met += events.length;
      return isDeepStrictEqual(events, expected) && decoder.comments === comments;
    }),
    { numRuns: 1500 },
  );
  t.ok(met > 1000, `events were met: ${met}`);
});
