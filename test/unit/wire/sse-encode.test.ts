import fc from 'fast-check';
import { isDeepStrictEqual } from 'node:util';
import t from 'tap';
import { SseDecoder } from '../../../src/wire/sse-decode.js';
import { encodeComment, encodeEvent } from '../../../src/wire/sse-encode.js';
import { utf8, wellFormed } from './support.js';

void t.test('events as bytes', async (t) => {
  const cases: [event: Parameters<typeof encodeEvent>[0], text: string][] = [
    [{ data: '{"a":1}' }, 'data: {"a":1}\n\n'],
    [{ data: utf8('é'), event: 'message', id: 's-1', retry: 0 }, 'event: message\nid: s-1\nretry: 0\ndata: é\n\n'],
    [{ data: 'a\nb\r\nc\rd\n' }, 'data: a\ndata: b\ndata: c\ndata: d\ndata: \n\n'],
    [{ data: '' }, 'data: \n\n'],
    [{ id: '', retry: 1000 }, 'id: \nretry: 1000\n\n'],
    [{ id: '1', data: Buffer.alloc(0) }, 'id: 1\ndata: \n\n'],
  ];
  for (const [event, text] of cases) t.equal(encodeEvent(event).toString(), text);
});

void t.test('bytes that are no UTF-8 stand, with and without line ends', async (t) => {
  for (const data of [Buffer.from('ff80', 'hex'), Buffer.from('ff0a80', 'hex')])
    t.same(new SseDecoder().push(encodeEvent({ data }))[0]?.data, data);
});

void t.test('fields that would say something else are refused', async (t) => {
  for (const event of [
    { event: 'a\ndata: b' },
    { event: 'a\r' },
    { id: '1\n' },
    { id: '1\0' },
    { retry: -1 },
    { retry: 1.5 },
    { retry: NaN },
    { retry: Infinity },
    { retry: 1e21 },
  ])
    t.throws(() => encodeEvent(event), TypeError, JSON.stringify(event));
});

void t.test('comments', async (t) => {
  t.equal(encodeComment().toString(), ': \n\n');
  t.equal(encodeComment('keep-alive').toString(), ': keep-alive\n\n');
  t.equal(encodeComment('a\ndata: b\r\r\nc').toString(), ': a\n: data: b\n: \n: c\n\n', 'no text becomes an event');
  const decoder = new SseDecoder();
  t.same(decoder.push(encodeComment('a\nb')), []);
  t.equal(decoder.comments, 2);
});

const line = fc.string({ unit: 'binary' }).map((text) => wellFormed(text.replace(/[\r\n\0]/g, '')));

void t.test('property: what is encoded is decoded', async () => {
  const event = fc.record(
    {
      data: fc.oneof(
        fc.uint8Array().map((bytes) => Buffer.from(bytes)),
        fc.array(line).map((lines) => utf8(lines.join('\n'))),
      ),
      event: line.filter((text) => text !== ''),
      id: line,
      retry: fc.nat(),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.array(event, { maxLength: 4 }), (events) => {
      const decoded = new SseDecoder().push(Buffer.concat(events.map((e) => encodeEvent(e))));
      const expected = events
        .filter((e) => Object.keys(e).length > 0)
        .map(({ data, ...fields }) => ({
          ...fields,
          data: Buffer.from((data ?? Buffer.alloc(0)).toString('latin1').replace(/\r\n?/g, '\n'), 'latin1'),
          hasData: data !== undefined,
        }));
      return isDeepStrictEqual(decoded, expected);
    }),
    { numRuns: 1500 },
  );
});
