import { isUtf8 } from 'node:buffer';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import t from 'tap';
import { checkJson } from '../../../src/wire/json.js';
import { build, jsonText, show, space, utf8 } from './support.js';

const valid = [
  '{}', '[]', ' { } ', '[ ]', '0', '-0', '0.0', '-1.5e+10', '1E5', '9007199254740993', '""', '"a"', 'true', 'false', 'null',
  '\t\r\n 1 \n', '{"a":1,"a":2}', '{"__proto__":{"constructor":[]}}', '"\\ud800"', '"\\u00e9\\n\\/\\"\\\\"', '"\u007f"',
  '"é\u2028🎉"', '[[],{},[{"a":[{}]}]]', '{"a" : [ 1 , 2 ] , "b" : { } }', '"\\\\"', '["\\"",","]',
]; // prettier-ignore

const invalid: [text: string, offset: number, why: string][] = [
  ['', 0, 'empty'],
  ['  ', 2, 'white space only'],
  ['{', 1, 'cut in an object'],
  ['{"a"', 4, 'cut after a key'],
  ['{"a":', 5, 'cut before a value'],
  ['{"a":1', 6, 'cut after a value'],
  ['[1,', 3, 'cut after a comma'],
  ['"abc', 4, 'cut in a string'],
  ['"abcdefgh', 9, 'cut in a longer string'],
  ['"abc\\', 5, 'cut in an escape'],
  ['"\\u12', 5, 'cut in a unicode escape'],
  ['tru', 3, 'cut in a literal'],
  ['-', 1, 'cut in a number'],
  ['1.', 2, 'no digit after the point'],
  ['1e', 2, 'no digit in the exponent'],
  ['1e+', 3, 'no digit after its sign'],
  ['{"a":1,}', 7, 'trailing comma in an object'],
  ['[1,]', 3, 'trailing comma in an array'],
  ['[,1]', 1, 'leading comma'],
  ['[1 2]', 3, 'missing comma'],
  ['{"a" 1}', 5, 'missing colon'],
  ['{a:1}', 1, 'bare key'],
  ["{'a':1}", 1, 'single quotes'],
  ['{1:1}', 1, 'number as a key'],
  ['{"a":1]', 6, 'object closed as an array'],
  ['[1}', 2, 'array closed as an object'],
  ['[1]]', 3, 'one bracket too many'],
  ['}', 0, 'closed before it was opened'],
  ['{} {}', 3, 'two documents'],
  ['1 x', 2, 'text behind the value'],
  ['01', 1, 'leading zero'],
  ['-01', 2, 'leading zero behind a minus'],
  ['+1', 0, 'plus sign'],
  ['.5', 0, 'no digit before the point'],
  ['0x10', 1, 'hexadecimal'],
  ['1_000', 1, 'digit separator'],
  ['NaN', 0, 'NaN'],
  ['Infinity', 0, 'Infinity'],
  ['-Infinity', 1, '-Infinity'],
  ['undefined', 0, 'undefined'],
  ['True', 0, 'capital literal'],
  ['nul1', 3, 'misspelt literal'],
  ['truex', 4, 'literal with a tail'],
  ['// c\n1', 0, 'line comment'],
  ['[1/* c */]', 2, 'block comment'],
  ['"a\nb"', 2, 'newline in a string'],
  ['"a\tb"', 2, 'tab in a string'],
  ['"abcd\u0000"', 5, 'NUL in a string'],
  ['"\\x41"', 2, 'unknown escape'],
  ['"\\u123', 6, 'cut in its last digit'],
  ['"\\u123g"', 6, 'no hexadecimal digit at the end'],
  ['"\\u12g4"', 5, 'no hexadecimal digit'],
  ['"\\U0041"', 2, 'capital U'],
  ['1\u00a0', 1, 'no-break space'],
  ['\u000b1', 0, 'vertical tab'],
  ['1\u0000', 1, 'NUL behind the value'],
];

void t.test('what RFC 8259 allows', async (t) => {
  for (const text of valid) {
    const checked = checkJson(utf8(text));
    t.equal(checked.kind, 'valid', show(text));
    if (checked.kind !== 'valid') continue;
    const { start, end } = checked.root;
    t.equal(utf8(text).toString('utf8', start, end), text.trim(), 'the root is the value without white space');
  }
});

void t.test('what it does not, and where it goes wrong', async (t) => {
  for (const [text, offset, why] of invalid) t.match(checkJson(utf8(text)), { kind: 'invalid', offset }, why);
});

void t.test('a byte order mark is ignored once, at the start only', async (t) => {
  t.same(checkJson(utf8('\ufeff {}')), { kind: 'valid', root: { start: 4, end: 6 } });
  t.match(checkJson(utf8('\ufeff\ufeff{}')), { kind: 'invalid', offset: 3 });
  t.match(checkJson(utf8('{}\ufeff')), { kind: 'invalid', offset: 2 });
  t.match(checkJson(utf8('\ufeff')), { kind: 'invalid', offset: 3 });
});

void t.test('invalid UTF-8 is refused wherever it stands', async (t) => {
  const bad = {
    'stray continuation': '80',
    overlong: 'c0af',
    'encoded surrogate': 'eda080',
    beyond: 'f4908080',
    cut: 'e282',
  };
  for (const [why, hex] of Object.entries(bad)) {
    const bytes = Buffer.concat([utf8('{"é":"'), Buffer.from(hex, 'hex'), utf8('"}')]);
    t.match(checkJson(bytes), { kind: 'invalid', offset: 7, reason: 'invalid UTF-8' }, why);
  }
});

void t.test('depth is limited, and a deep document costs no stack', async (t) => {
  const nested = (depth: number) => utf8('[{"a":'.repeat(depth / 2) + '1' + '}]'.repeat(depth / 2));
  t.equal(checkJson(nested(512)).kind, 'valid');
  t.match(checkJson(nested(514)), { kind: 'invalid', offset: 1536, reason: 'nested deeper than 512' });
  t.equal(checkJson(nested(4), 4).kind, 'valid');
  t.equal(checkJson(nested(6), 4).kind, 'invalid');
  t.equal(checkJson(nested(1_000_000), 1_000_000).kind, 'valid');
  t.equal(checkJson(utf8('[]'.repeat(3)), 1).kind, 'invalid', 'trailing text, not depth');
  t.equal(checkJson(utf8(`[${'[],'.repeat(1000)}[]]`), 2).kind, 'valid', 'neighbours are not deep');
});

void t.test('reasons are fit for a sentence', async (t) => {
  t.match(checkJson(utf8('[1,]')), { reason: 'unexpected ]' });
  t.match(checkJson(utf8('"\u0001"')), { reason: 'unexpected byte 0x01' });
  t.match(checkJson(utf8('[1')), { reason: 'unexpected end' });
});

void t.test('property: random documents are valid and read as JSON.parse reads them', async () => {
  fc.assert(
    fc.property(space, jsonText, space, (before, text, after) => {
      const bytes = utf8(before + text + after);
      const checked = checkJson(bytes);
      return checked.kind === 'valid' && isDeepStrictEqual(build(bytes, checked.root), JSON.parse(text));
    }),
    { numRuns: 1000 },
  );
});

/** One edit of the bytes: `insert` (in place of `remove` bytes) at a place between 0 and 1 of the document. */
const mutation = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  remove: fc.nat(2),
  insert: fc.oneof(
    fc.constantFrom(...'{}[]",:\\0123456789.eE+-tfn u/x\n\t\0').map(utf8),
    fc.uint8Array({ maxLength: 2 }).map((bytes) => Buffer.from(bytes)),
  ),
});

void t.test('property: it agrees with JSON.parse on broken documents', async (t) => {
  const seen = { valid: 0, invalid: 0 };
  fc.assert(
    fc.property(jsonText, fc.array(mutation, { minLength: 1, maxLength: 2 }), (text, mutations) => {
      const bytes = mutations.reduce((doc, { at, remove, insert }) => {
        const place = Math.floor(at * doc.length);
        return Buffer.concat([doc.subarray(0, place), insert, doc.subarray(place + remove)]);
      }, utf8(text));
      const { kind } = checkJson(bytes);
      seen[kind]++;
      return kind === oracle(bytes);
    }),
    { numRuns: 4000 },
  );
  t.ok(seen.valid > 100 && seen.invalid > 100, `both outcomes were met: ${JSON.stringify(seen)}`);
});

function oracle(bytes: Buffer): 'valid' | 'invalid' {
  if (!isUtf8(bytes)) return 'invalid';
  try {
    JSON.parse(new TextDecoder().decode(bytes)); // which drops a byte order mark
    return 'valid';
  } catch {
    return 'invalid';
  }
}
