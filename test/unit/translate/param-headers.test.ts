/** What a tool may want mirrored, and what the headers say (2026-07-28, streamable-http "Custom Headers from Tool Parameters"). */
import t from 'tap';
import { mirroredParams, paramHeaders } from '../../../src/translate/param-headers.js';
import { read } from './legacy-to-modern/messages.js';

const params = (schema: string) => mirroredParams(Buffer.from(schema), { start: 0, end: Buffer.byteLength(schema) });
const object = (properties: string, more = ''): string => `{"type":"object","properties":{${properties}}${more}}`;
const marked = (name: string, type = '"string"'): string => `{"type":${type},"x-mcp-header":${name}}`;

t.test('what is mirrored', async (t) => {
  const rows: [name: string, schema: string, found: string[]][] = [
    ['nothing', object('"a":{"type":"string"}'), []],
    ['no schema', 'true', []],
    [
      'the three types',
      object(`"a":${marked('"A"')},"b":${marked('"B"', '"integer"')},"c":${marked('"C"', '"boolean"')}`),
      ['a=Mcp-Param-A', 'b=Mcp-Param-B', 'c=Mcp-Param-C'],
    ],
    ['nested', object(`"a":${object(`"b":${object(`"c":${marked('"C"')}`)}`)}`), ['a.b.c=Mcp-Param-C']],
    [
      'every character of a token',
      object(`"a":${marked(`"!#$%&'*+-.^_\`|~09azAZ"`)}`),
      [`a=Mcp-Param-!#$%&'*+-.^_\`|~09azAZ`],
    ],
    ['a property of that name', object('"x-mcp-header":{"type":"string"}'), []],
    [
      'keys of prototypes',
      object(`"__proto__":${marked('"P"')},"constructor":${marked('"__proto__"')}`),
      ['__proto__=Mcp-Param-P', 'constructor=Mcp-Param-__proto__'],
    ],
    [
      'data that looks alike',
      object(`"a":{"default":${marked('""')},"enum":[${marked('1')}],"x-other":{"properties":{"b":${marked('""')}}}}`),
      [],
    ],
    ['an escaped key', object('"a":{"type":"string","x-mcp\\u002dheader":"A"}'), ['a=Mcp-Param-A']],
    ['of twins the last', object(`"a":${marked('""')},"a":${marked('"A"')}`), ['a=Mcp-Param-A']],
  ];
  for (const [name, schema, found] of rows) {
    const got = params(schema);
    t.same(typeof got === 'string' ? got : got.map(({ path, header }) => `${path.join('.')}=${header}`), found, name);
  }
});

t.test('what makes a tool invalid', async (t) => {
  const bad = marked('"A"');
  const elsewhere = /outside of a chain of properties/;
  const rows: [name: string, schema: string, reason: RegExp][] = [
    ['empty', object(`"a":${marked('""')}`), /x-mcp-header of "a" is no name/],
    ['a space', object(`"a":${marked('"A B"')}`), /no name/],
    ['a colon', object(`"a":${marked('"A:"')}`), /no name/],
    ['a line end', object(`"a":${marked('"A\\r\\nB"')}`), /no name/],
    ['a line end at its end', object(`"a":${marked('"A\\n"')}`), /no name/],
    ['not ASCII', object(`"a":${marked('"Ä"')}`), /no name/],
    ['no string', object(`"a":${marked('7')}`), /no string/],
    ['null', object(`"a":${marked('null')}`), /no string/],
    ['a number', object(`"a":${marked('"A"', '"number"')}`), /string, an integer or a boolean/],
    ['an object', object(`"a":${marked('"A"', '"object"')}`), /string, an integer or a boolean/],
    ['several types', object(`"a":${marked('"A"', '["string","null"]')}`), /string, an integer or a boolean/],
    ['no type', object('"a":{"x-mcp-header":"A"}'), /string, an integer or a boolean/],
    ['twice', object(`"a":${marked('"Re"')},"b":${object(`"c":${marked('"rE"')}`)}`), /"b.c" names the same header/],
    ['the root', '{"type":"string","x-mcp-header":"A"}', elsewhere],
    ...['items', 'additionalProperties', 'not', 'if', 'then', 'else', 'contains', 'propertyNames'].map(
      (key): [string, string, RegExp] => [key, object(`"a":{"${key}":${object(`"b":${bad}`)}}`), elsewhere],
    ),
    ...['oneOf', 'anyOf', 'allOf', 'prefixItems', 'items'].map((key): [string, string, RegExp] => [
      `a list of ${key}`,
      object('', `,"${key}":[true,${object(`"b":${bad}`)}]`),
      elsewhere,
    ]),
    ...['$defs', 'definitions', 'patternProperties', 'dependentSchemas'].map((key): [string, string, RegExp] => [
      key,
      object('', `,"${key}":{"b":${bad}}`),
      elsewhere,
    ]),
  ];
  for (const [name, schema, reason] of rows) t.match(params(schema), reason, name);
});

t.test('what the headers say', async (t) => {
  const schema = object(
    `"s":${marked('"S"')},"i":${marked('"I"', '"integer"')},"b":${marked('"B"', '"boolean"')},"o":${object(`"__proto__":${marked('"P"')}`)}`,
  );
  const mirrored = params(schema);
  if (typeof mirrored === 'string') throw new Error(mirrored);
  const rows: [args: string, headers: Record<string, string>][] = [
    ['{"s":"us-west1","i":42,"b":true}', { 'Mcp-Param-S': 'us-west1', 'Mcp-Param-I': '42', 'Mcp-Param-B': 'true' }],
    ['{"b":false,"other":"x"}', { 'Mcp-Param-B': 'false' }],
    ['{"s":null,"i":null,"b":null,"o":null}', {}],
    ['{"s":[],"i":{},"b":[true]}', {}],
    ['{"s":""}', { 'Mcp-Param-S': '' }],
    ['{"s":"Hello, 世界"}', { 'Mcp-Param-S': '=?base64?SGVsbG8sIOS4lueVjA==?=' }],
    ['{"s":" padded "}', { 'Mcp-Param-S': '=?base64?IHBhZGRlZCA=?=' }],
    ['{"s":"line1\\nline2"}', { 'Mcp-Param-S': '=?base64?bGluZTEKbGluZTI=?=' }],
    ['{"s":"=?base64?literal?="}', { 'Mcp-Param-S': '=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=' }],
    ['{"s":7}', { 'Mcp-Param-S': '7' }],
    ['{"i":-7}', { 'Mcp-Param-I': '-7' }],
    ['{"i":-0}', { 'Mcp-Param-I': '0' }],
    ['{"i":42.0}', { 'Mcp-Param-I': '42' }],
    ['{"i":1e3}', { 'Mcp-Param-I': '1000' }],
    ['{"i":9007199254740993}', { 'Mcp-Param-I': '9007199254740993' }],
    ['{"i":1.5}', { 'Mcp-Param-I': '1.5' }],
    ['{"s":"a","s":"b"}', { 'Mcp-Param-S': 'b' }],
    ['{"o":{"__proto__":"x"}}', { 'Mcp-Param-P': 'x' }],
    ['{"o":"__proto__"}', {}],
    ['[]', {}],
    ['null', {}],
  ];
  for (const [args, headers] of rows)
    t.same(
      paramHeaders(
        read('request', `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":${args}}}`),
        mirrored,
      ),
      headers,
      args,
    );
  t.same(paramHeaders(read('request', '{"jsonrpc":"2.0","id":1,"method":"tools/call"}'), mirrored), {});
});
