import { validateHeaderValue } from 'node:http';
import fc from 'fast-check';
import t from 'tap';
import { decodeHeaderValue, encodeHeaderValue, nameParamOf, standardHeaders } from '../../../src/wire/mcp-headers.js';
import { readMessage } from '../../../src/wire/jsonrpc.js';
import { show, utf8, wellFormed } from './support.js';

void t.test('the examples of the specification ("Value Encoding")', async (t) => {
  const examples: [text: string, header: string][] = [
    ['us-west1', 'us-west1'],
    ['Hello, 世界', '=?base64?SGVsbG8sIOS4lueVjA==?='],
    [' padded ', '=?base64?IHBhZGRlZCA=?='],
    ['line1\nline2', '=?base64?bGluZTEKbGluZTI=?='],
    ['=?base64?literal?=', '=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?='],
  ];
  for (const [text, header] of examples) {
    t.equal(encodeHeaderValue(text), header);
    t.same(decodeHeaderValue(header), { kind: 'value', value: text });
  }
});

void t.test('what stands as it is', async (t) => {
  for (const text of ['', 'a', 'a b', 'a\tb', 'a  \t b', '!~', '"quoted", list; x=1', 'file:///a?b=c#d', '=?base64?x', 'x?=', '=?BASE64?eA==?=', '=?utf-8?B?eA==?='])
    t.equal(encodeHeaderValue(text), text, show(text)); // prettier-ignore
});

void t.test('what does not', async (t) => {
  for (const text of [' ', '\t', ' a', 'a ', '\ta', 'a\t', 'a\rb', 'a\0', '\x7f', 'é', '\u2028', '🎉', '\u00a0', '=?base64??=', '=?base64?=', '=?base64?%?='])
    t.match(encodeHeaderValue(text), /^=\?base64\?.+\?=$/, show(text)); // prettier-ignore
  t.same(
    decodeHeaderValue(encodeHeaderValue('\ud800')),
    { kind: 'value', value: '\ufffd' },
    'UTF-8 has no lone surrogate',
  );
});

void t.test('decoding is strict', async (t) => {
  const cases: [header: string, value: string | RegExp][] = [
    ['', ''],
    ['plain', 'plain'],
    [' \t plain \t ', 'plain'],
    ['a \t b', 'a \t b'],
    [' =?base64?eA==?= ', 'x'],
    ['=?base64??=', ''],
    ['=?base64?77u/eA==?=', '\ufeffx'],
    ['=?BASE64?eA==?=', '=?BASE64?eA==?='],
    ['=?Base64?eA==?=', '=?Base64?eA==?='],
    ['=?base64?eA==', '=?base64?eA=='],
    ['eA==?=', 'eA==?='],
    ['=?base64?=', /base64/],
    ['=?base64?eA?=', /base64/],
    ['=?base64?eA=?=', /base64/],
    ['=?base64?eA===?=', /base64/],
    ['=?base64?eB==?=', /base64/],
    ['=?base64?e A==?=', /base64/],
    ['=?base64? eA==?=', /base64/],
    ['=?base64?e-_=?=', /base64/],
    ['=?base64?eA==eA==?=', /base64/],
    ['=?base64?====?=', /base64/],
    ['=?base64?x?=, =?base64?y?=', /base64/],
    ['=?base64?/w==?=', /UTF-8/],
    ['=?base64?7aCA?=', /UTF-8/],
    ['caf\u00e9', /visible ASCII/],
    ['a\u0000b', /visible ASCII/],
    ['a\nb', /visible ASCII/],
    ['世', /visible ASCII/],
  ];
  for (const [header, value] of cases) {
    const expected = typeof value === 'string' ? { kind: 'value', value } : { kind: 'invalid', reason: value };
    const decoded = decodeHeaderValue(header);
    if (typeof value === 'string') t.same(decoded, expected, show(header));
    else t.match(decoded, expected, show(header));
  }
});

void t.test('long values cost linear time', async (t) => {
  const spaces = ' '.repeat(1_000_000);
  t.same(decodeHeaderValue(`${spaces}a${spaces}b${spaces}`), { kind: 'value', value: `a${spaces}b` });
  t.equal(encodeHeaderValue(`a${spaces}b`).length, 1_000_002);
  t.match(decodeHeaderValue(`=?base64?${'A'.repeat(1_000_001)}?=`), { kind: 'invalid' });
});

void t.test('what Mcp-Name mirrors', async (t) => {
  const names = {
    'tools/call': 'name',
    'prompts/get': 'name',
    'resources/read': 'uri',
    'tasks/get': 'taskId',
    'tasks/update': 'taskId',
    'tasks/cancel': 'taskId',
  };
  for (const [method, param] of Object.entries(names)) t.equal(nameParamOf(method), param, method);
  for (const method of ['tools/list', 'initialize', 'tasks/result', 'Tools/call', '', '__proto__', 'constructor'])
    t.equal(nameParamOf(method), undefined, method);
});

void t.test('the headers of an outgoing message', async (t) => {
  const headers = (method: string, params: string) => {
    const message = readMessage(utf8(`{"jsonrpc":"2.0","id":1,"method":${JSON.stringify(method)}${params}}`));
    if (message.kind !== 'request') throw new Error(message.kind);
    return standardHeaders(message);
  };
  t.same(headers('tools/call', ',"params":{"name":"echo"}'), { 'mcp-method': 'tools/call', 'mcp-name': 'echo' });
  t.same(headers('tools/call', ',"params":{"name":"世"}'), {
    'mcp-method': 'tools/call',
    'mcp-name': '=?base64?5LiW?=',
  });
  t.same(headers('resources/read', ',"params":{"name":"no","uri":"a:\\u0062"}'), {
    'mcp-method': 'resources/read',
    'mcp-name': 'a:b',
  });
  t.same(headers('tasks/get', ',"params":{"taskId":"t"}'), { 'mcp-method': 'tasks/get', 'mcp-name': 't' });
  t.same(headers('tools/list', ',"params":{"name":"x"}'), { 'mcp-method': 'tools/list' });
  t.same(headers('tools/call', ''), { 'mcp-method': 'tools/call' });
  t.same(headers('tools/call', ',"params":{"name":1}'), { 'mcp-method': 'tools/call' });
});

void t.test('property: every text survives, and every header is legal', async () => {
  const awkward = fc
    .array(fc.constantFrom('=?base64?', '?=', ' ', '\t', '\n', 'a', '=', '?', 'é', '\x7f', '\ufeff'))
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary-ascii' }), awkward), (text) => {
      const header = encodeHeaderValue(text);
      validateHeaderValue('mcp-name', header);
      const decoded = decodeHeaderValue(header);
      return (
        /^[\t\x20-\x7e]*$/.test(header) &&
        header === header.trim() &&
        decoded.kind === 'value' &&
        decoded.value === wellFormed(text)
      );
    }),
    { numRuns: 3000 },
  );
});
