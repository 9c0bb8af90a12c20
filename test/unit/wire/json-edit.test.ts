import fc from 'fast-check';
import t from 'tap';
import {
  addMembers,
  applySplices,
  checkJson,
  editObject,
  memberAt,
  objectMembers,
  rawText,
  removeMembers,
  replaceValue,
  type Span,
} from '../../../src/wire/json.js';
import { jsonString, jsonText, space, utf8 } from './support.js';

const whole = (bytes: Buffer): Span => ({ start: 0, end: bytes.length });
const edited = (text: string, edit: Parameters<typeof editObject>[2]) => {
  const bytes = utf8(text);
  return applySplices(bytes, editObject(bytes, whole(bytes), edit)).toString();
};

void t.test('splices', async (t) => {
  const bytes = utf8('0123456789');
  const splice = (start: number, end: number, text: string) => ({ start, end, bytes: utf8(text) });
  t.equal(applySplices(bytes, []), bytes, 'no splice, no copy');
  t.equal(applySplices(bytes, [splice(5, 7, 'B'), splice(0, 1, 'A'), splice(10, 10, 'C')]).toString(), 'A1234B789C');
  t.equal(
    applySplices(bytes, [splice(3, 5, ''), splice(5, 5, 'x'), splice(5, 6, 'y')]).toString(),
    '012xy6789',
    'they may touch',
  );
  t.equal(
    applySplices(bytes, [splice(2, 2, 'a'), splice(2, 2, 'b')]).toString(),
    '01ab23456789',
    'insertions keep their order',
  );
  t.equal(bytes.toString(), '0123456789', 'the original stands');
  for (const [why, bad] of Object.entries({
    overlap: [splice(1, 4, ''), splice(3, 5, '')],
    'insertion within': [splice(1, 4, ''), splice(2, 2, 'x')],
    same: [splice(1, 2, ''), splice(1, 2, '')],
    outside: [splice(9, 11, '')],
    before: [splice(-1, 1, '')],
    backwards: [splice(4, 2, '')],
  }))
    t.throws(() => applySplices(bytes, bad), RangeError, why);
});

void t.test('a value is replaced in its place', async (t) => {
  const bytes = utf8('{ "id" : 1 , "x":9007199254740993}');
  const id = memberAt(bytes, whole(bytes), ['id'])!;
  t.equal(applySplices(bytes, [replaceValue(id, '"a"')]).toString(), '{ "id" : "a" , "x":9007199254740993}');
  t.equal(applySplices(bytes, [replaceValue(id, utf8('é'))]).toString(), '{ "id" : é , "x":9007199254740993}');
});

void t.test('removing: every combination of four members, with and without white space', async (t) => {
  for (const text of ['{"a":1,"b":2,"c":3,"d":4}', '{ "a" : 1 , "b" : 2 ,\n "c" : 3 , "d" : 4 }'])
    for (let set = 0; set < 16; set++) {
      const removed = ['a', 'b', 'c', 'd'].filter((_, i) => set & (1 << i));
      const bytes = utf8(text);
      const result = applySplices(
        bytes,
        removeMembers(bytes, whole(bytes), ({ key }) => removed.includes(key)),
      );
      const expected = Object.entries(JSON.parse(text) as object).filter(([key]) => !removed.includes(key));
      t.same(Object.entries(JSON.parse(result.toString()) as object), expected, `${text} without ${removed.join()}`);
    }
});

void t.test('removing nothing is no splice', async (t) => {
  t.same(
    removeMembers(utf8('{"a":1}'), { start: 0, end: 7 }, () => false),
    [],
  );
  t.same(
    removeMembers(utf8('{}'), { start: 0, end: 2 }, () => true),
    [],
  );
});

void t.test('adding', async (t) => {
  const added = (text: string, entries: [string, string][]) => {
    const bytes = utf8(text);
    return applySplices(bytes, addMembers(bytes, whole(bytes), entries)).toString();
  };
  t.equal(added('{}', [['a', '1']]), '{"a":1}');
  t.equal(added('{ \n }', [['a', '1'], ['b', '{}']]), '{"a":1,"b":{} \n }'); // prettier-ignore
  t.equal(added('{ "x" : 0 }', [['a', '1']]), '{ "x" : 0,"a":1 }');
  t.equal(added('{"x":0}', []), '{"x":0}');
  t.equal(added('{}', [['"\n', '1']]), '{"\\"\\n":1}', 'keys are escaped');
});

void t.test('editing', async (t) => {
  const set: [string, string][] = [['n', '9']];
  t.equal(edited('{"a":1,"n":2,"b":3}', { set }), '{"a":1,"n":9,"b":3}');
  t.equal(edited('{"a":1}', { set }), '{"a":1,"n":9}');
  t.equal(edited('{"a":1}', { set, remove: ['a'] }), '{"n":9}', 'all removed, one added');
  t.equal(edited('{ "a" : 1 , "b" : 2 }', { set, remove: ['a', 'b'] }), '{ "n":9 }');
  t.equal(edited('{"a":1,"b":2}', { set, remove: ['b'] }), '{"a":1,"n":9}', 'the last removed, one added');
  t.equal(edited('{"a":1,"b":2}', { set, remove: ['a'] }), '{"b":2,"n":9}');
  t.equal(edited('{"n":1,"a":2}', { set, remove: ['a'] }), '{"n":9}');
  t.equal(edited('{"n":1}', { set, remove: ['n'] }), '{"n":9}', 'set wins over remove');
  t.equal(edited('{"n":1,"a":0,"\\u006e":2}', { set }), '{"n":9,"a":0}', 'a key that is set stands once');
  t.equal(edited('{}', { set: [['n', '1'], ['n', '2']] }), '{"n":2}', 'the last of two settings'); // prettier-ignore
  t.equal(edited('{"a":1}', {}), '{"a":1}');
  t.equal(
    edited('{"__proto__":1,"a":2}', { set: [['constructor', '3']], remove: ['__proto__'] }),
    '{"a":2,"constructor":3}',
  );
  t.equal(edited('{"params":null}', { set: [['params', '{}']] }), '{"params":{}}');
});

void t.test('edits of an object and of its parent go together', async (t) => {
  const bytes = utf8('{"id":1,"params":{"_meta":{"k":1},"gone":2}}');
  const params = memberAt(bytes, whole(bytes), ['params'])!.value;
  const meta = memberAt(bytes, params, ['_meta'])!.value;
  const splices = [
    ...editObject(bytes, whole(bytes), { set: [['id', '2'], ['last', 'true']] }), // prettier-ignore
    ...editObject(bytes, params, { remove: ['gone'], set: [['new', '[]']] }),
    ...editObject(bytes, meta, { remove: ['k'], set: [['v', '"1"']] }),
  ];
  t.equal(applySplices(bytes, splices).toString(), '{"id":2,"params":{"_meta":{"v":"1"},"new":[]},"last":true}');
});

/** Keys out of a small set, so that edits meet them; some written with escapes, some repeated. */
const owned = ['id', 'method', 'params', '_meta', '__proto__'];
const key = fc.oneof(
  fc.constantFrom(...owned.map((k) => JSON.stringify(k)), '"\\u0069d"', '"par\\u0061ms"'),
  jsonString,
);
const entry = fc.record({ before: space, key, afterKey: space, beforeValue: space, value: jsonText, after: space });

void t.test('property: an edit changes what it names and nothing else', async () => {
  fc.assert(
    fc.property(
      fc.tuple(jsonText, space, fc.array(entry, { maxLength: 7 }), jsonText),
      fc.uniqueArray(fc.tuple(fc.constantFrom(...owned, 'new', 'é"\n'), jsonText), {
        selector: ([key]) => key,
        maxLength: 3,
      }),
      fc.uniqueArray(fc.constantFrom(...owned, 'none'), { maxLength: 5 }),
      ([left, empty, entries, right], set, remove) => {
        const inner = entries.map((e) => `${e.before}${e.key}${e.afterKey}:${e.beforeValue}${e.value}${e.after}`);
        const before = `[${left},`;
        const object = `{${inner.length ? inner.join(',') : empty}}`;
        const after = `,${right}]`;
        const bytes = utf8(before + object + after);
        const span = { start: Buffer.byteLength(before), end: Buffer.byteLength(before + object) };

        const result = applySplices(bytes, editObject(bytes, span, { set, remove }));

        const resultSpan = { start: span.start, end: result.length - Buffer.byteLength(after) };
        return (
          checkJson(result).kind === 'valid' &&
          result.toString('utf8', 0, span.start) === before &&
          result.toString('utf8', resultSpan.end) === after &&
          JSON.stringify(texts(result, resultSpan)) === JSON.stringify(model(entries, set, remove))
        );
      },
    ),
    { numRuns: 1200 },
  );
});

type Texts = [key: string, value: string][];

function texts(bytes: Buffer, object: Span): Texts {
  return objectMembers(bytes, object).map(({ keySpan, value }) => [rawText(bytes, keySpan), rawText(bytes, value)]);
}

/** What must be left, told without spans: raw keys and raw values in order. */
function model(entries: { key: string; value: string }[], set: [string, string][], remove: string[]): Texts {
  const left: Texts = [];
  const toSet = new Map(set);
  const done = new Set<string>();
  for (const { key, value } of entries) {
    const name = JSON.parse(key) as string;
    const json = toSet.get(name);
    if (json === undefined) {
      if (!remove.includes(name)) left.push([key, value]);
    } else if (!done.has(name)) {
      left.push([key, json]);
      done.add(name);
    }
  }
  for (const [name, json] of set) if (!done.has(name)) left.push([JSON.stringify(name), json]);
  return left;
}
