import t from 'tap';
import {
  arrayElements,
  findMember,
  kindOf,
  memberAt,
  objectMembers,
  rawText,
  stringValue,
} from '../../../src/wire/json.js';
import { utf8 } from './support.js';

const whole = (bytes: Buffer) => ({ start: 0, end: bytes.length });
const members = (text: string) => {
  const bytes = utf8(text);
  return objectMembers(bytes, whole(bytes)).map(({ key, keySpan, value }) => [
    key,
    rawText(bytes, keySpan),
    rawText(bytes, value),
  ]);
};

void t.test('members in order, spans exact, duplicates kept', async (t) => {
  t.same(members('{ "a" : 1 ,\n"b":[ 2 , {"a":3} ],"a":"x" }'), [
    ['a', '"a"', '1'],
    ['b', '"b"', '[ 2 , {"a":3} ]'],
    ['a', '"a"', '"x"'],
  ]);
  t.same(members('{}'), []);
  t.same(members('{ \n }'), []);
  t.same(members('{"a":-0,"b":1.0,"c":9007199254740993}'), [
    ['a', '"a"', '-0'],
    ['b', '"b"', '1.0'],
    ['c', '"c"', '9007199254740993'],
  ]);
});

void t.test('keys are compared after decoding', async (t) => {
  t.same(
    members('{"n\\u0061me":1,"a\\/\\"":2,"é":3,"":4}').map(([key]) => key),
    ['name', 'a/"', 'é', ''],
  );
  t.equal(members('{"\\ud800":1}')[0]?.[0], '\ud800', 'a lone surrogate is a key like any other');
});

void t.test('keys of Object.prototype are keys like any other', async (t) => {
  const text = '{"__proto__":{"polluted":1},"constructor":2,"hasOwnProperty":3}';
  t.same(
    members(text).map(([key]) => key),
    ['__proto__', 'constructor', 'hasOwnProperty'],
  );
  const bytes = utf8('{}');
  t.equal(findMember(objectMembers(bytes, whole(bytes)), '__proto__'), undefined);
  t.equal(memberAt(bytes, whole(bytes), ['constructor', 'name']), undefined);
  t.notOk('polluted' in {});
});

void t.test('structure within strings is no structure, however long the string', async (t) => {
  for (const filler of ['', 'x'.repeat(47), 'x'.repeat(48), 'x'.repeat(500)])
    for (const tail of ['', '\\"', '\\\\', '\\\\\\"', ',"b":}]{[', '\\"'.repeat(40), '\\\\'.repeat(41)]) {
      const value = `"${filler}${tail.replaceAll(/(?<!\\)"/g, '\\"')}"`;
      t.same(
        members(`{"k":{"in":${value}},"z":${value}}`).map((m) => m[2]),
        [`{"in":${value}}`, value],
      );
    }
});

void t.test('elements of an array', async (t) => {
  const elements = (text: string) => {
    const bytes = utf8(text);
    return arrayElements(bytes, whole(bytes)).map((span) => rawText(bytes, span));
  };
  t.same(elements('[]'), []);
  t.same(elements('[ ]'), []);
  t.same(elements('[ 1 ,"a,]", [2], {"a":[]} ,null]'), ['1', '"a,]"', '[2]', '{"a":[]}', 'null']);
});

void t.test('kinds and strings', async (t) => {
  const kinds = {
    '{}': 'object',
    '[]': 'array',
    '""': 'string',
    '-1': 'number',
    '0': 'number',
    true: 'true',
    false: 'false',
    null: 'null',
  };
  for (const [text, kind] of Object.entries(kinds)) t.equal(kindOf(utf8(text), whole(utf8(text))), kind);
  const string = (text: string) => stringValue(utf8(text), whole(utf8(text)));
  t.equal(string('"a\\u0062\\n\\ud83c\\udf89é"'), 'ab\n🎉é');
  t.equal(string('""'), '');
  t.throws(() => string('1'), { name: 'TypeError', message: 'expected JSON string, found number' });
  t.throws(() => objectMembers(utf8('[]'), { start: 0, end: 2 }), TypeError);
  t.throws(() => arrayElements(utf8('{}'), { start: 0, end: 2 }), TypeError);
});

void t.test('memberAt descends, and stops where there is nothing', async (t) => {
  const bytes = utf8('{"params":{"_meta":{"k":"v"},"list":[{"k":1}],"none":null}}');
  const at = (...path: string[]) => {
    const member = memberAt(bytes, whole(bytes), path);
    return member && rawText(bytes, member.value);
  };
  t.equal(at('params', '_meta', 'k'), '"v"');
  t.equal(at('params', 'none'), 'null');
  for (const path of [['x'], ['params', 'x', 'k'], ['params', 'list', 'k'], ['params', 'none', 'k'], []])
    t.equal(at(...path), undefined, path.join('.'));
});

void t.test('a document may stand anywhere within the bytes', async (t) => {
  const bytes = utf8('noise {"a":{"b":1}} noise');
  t.equal(rawText(bytes, memberAt(bytes, { start: 6, end: 19 }, ['a', 'b'])!.value), '1');
});
