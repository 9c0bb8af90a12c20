import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import t from 'tap';
import { peek, readMessage } from '../../../src/wire/jsonrpc.js';
import { jsonText, space, utf8 } from './support.js';

void t.test('id and method, wherever they stand at the top', async (t) => {
  const cases: [prefix: string, found: ReturnType<typeof peek>][] = [
    ['{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"id":8,"method":"x"', { id: '7', method: 'tools/call' }],
    ['{"params":{"id":8,"a":["}{",{"method":"x"}]},"method":"m" , "id" : "a" }', { id: '"a"', method: 'm' }],
    ['\ufeff \n{ "id" : -0 ,', { id: '-0' }],
    ['{"id":""}', { id: '""' }],
    ['{"\\u0069d":1,"m\\u0065thod":"a\\/b"}', { id: '1', method: 'a/b' }],
    ['{"id":1,"id":2,"method":"a","method":"b"}', { id: '1', method: 'a' }],
    ['{"id":1,"x":tru3,"method":"m",', { id: '1', method: 'm' }],
  ];
  for (const [prefix, found] of cases) t.same(peek(utf8(prefix)), found, prefix);
});

void t.test('what is cut off, unsound or below the top is not found', async (t) => {
  for (const prefix of [
    '',
    '{',
    '{"',
    '{"id',
    '{"id"',
    '{"id":',
    '{"id":1',
    '{"id":"a',
    '{"id":"a\\',
    '{"id":"a\\"',
    '{"params":{"id":1}',
    '{"params":{"x":"',
    '[{"id":1}]',
    'null',
    '"id":1',
    '{"id":null,',
    '{"id":1.5,',
    '{"id":01,',
    '{"id":{},',
    '{"id":-,',
    '{"id":"\\x",',
    '{"id":"a\nb",',
    '{"method":1,',
    '{"method":"\\q",',
    '{id:1,',
    '{"id" 1,',
    '{"x":1 "id":1,',
    '{"ID":1,',
    '{"id":,"method":,',
    '{,"id":1,',
    '{"\\q":1 ',
  ])
    // prettier-ignore
    t.same(peek(utf8(prefix)), {}, prefix);
  t.same(peek(Buffer.from('7b226964223a22ff222c', 'hex')), {}, 'an id that is no UTF-8');
});

void t.test('property: any bytes are survived', async () => {
  fc.assert(
    fc.property(fc.uint8Array(), fc.constantFrom('', '{"id":', '{"method":"', '{"a\\'), (bytes, head) => {
      const found = peek(Buffer.concat([utf8(head), bytes]));
      if (found.id !== undefined) JSON.parse(found.id);
    }),
    { numRuns: 1000 },
  );
});

void t.test('property: every prefix finds what the whole message says, or nothing yet', async () => {
  const member = (key: string, value: fc.Arbitrary<string>) => value.map((text) => `"${key}":${text}`);
  const text = fc
    .tuple(
      fc.constant('"jsonrpc":"2.0"'),
      member(
        'id',
        fc.oneof(
          fc.bigInt().map(String),
          fc.string({ unit: 'binary' }).map((s) => JSON.stringify(s)),
        ),
      ),
      member(
        'method',
        fc.string({ unit: 'binary' }).map((s) => JSON.stringify(s)),
      ),
      member('x', jsonText),
      member('y', jsonText),
    )
    .chain((members) => fc.tuple(fc.shuffledSubarray(members, { minLength: 5 }), space))
    .map(([members, gap]) => `{${gap}${members.join(`${gap},${gap}`)}${gap}}`);
  fc.assert(
    fc.property(text, fc.double({ min: 0, max: 1, noNaN: true }), (text, cut) => {
      const bytes = utf8(text);
      const message = readMessage(bytes);
      if (message.kind !== 'request') return false;
      const whole = { id: message.id, method: message.method };
      const part = peek(bytes.subarray(0, Math.floor(cut * bytes.length)));
      return isDeepStrictEqual(peek(bytes), whole) && isDeepStrictEqual({ ...whole, ...part }, whole);
    }),
    { numRuns: 600 },
  );
});
