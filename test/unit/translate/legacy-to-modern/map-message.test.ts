import t from 'tap';
import { mapMessage } from '../../../../src/translate/legacy-to-modern/map-message.js';
import { readMessage, type Request } from '../../../../src/wire/jsonrpc.js';
import { read } from './messages.js';

const call = (id = '7', meta = '', method = 'tools/call'): Request =>
  read('request', `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":{"_meta":{${meta}}}}`);

/** What the client gets of `text`: its bytes, a cell, or nothing. */
function map(text: string, request = call()): string {
  const mapped = mapMessage(readMessage(Buffer.from(text)), request, { revision: '2025-11-25', wrapsOutput: false });
  switch (mapped.kind) {
    case 'event':
    case 'answer':
      return mapped.bytes.toString();
    case 'refused':
      return mapped.detail === undefined ? mapped.cell : `${mapped.cell}: ${mapped.detail}`;
    case 'input':
    case 'nothing':
      return mapped.kind;
  }
}

const info = '"io.modelcontextprotocol/serverInfo":{"name":"w","version":"1"}';
const result = (inner: string): string => `{"jsonrpc":"2.0","id":7,"result":${inner}}`;

t.test('results lose what only the modern era has, and no other byte', async (t) => {
  const rows: [name: string, comes: string, goes: string][] = [
    [
      'all of it, in any place',
      `{"ttlMs":1,"a":1,"resultType":"complete","b":2,"cacheScope":"public"}`,
      '{"a":1,"b":2}',
    ],
    ['nothing but that', '{"resultType":"complete"}', '{}'],
    ['no resultType is complete', '{"content":[]}', '{"content":[]}'],
    ['the server’s name, and a _meta that held nothing else', `{"a":1,"_meta":{${info}}}`, '{"a":1}'],
    ['the only members', `{"_meta":{${info}},"resultType":"complete"}`, '{}'],
    ['a _meta of others', `{"_meta":{"x":1.0,${info},"y":-0}}`, '{"_meta":{"x":1.0,"y":-0}}'],
    ['a _meta that came empty', '{"_meta":{ }}', '{"_meta":{ }}'],
    ['a _meta that is none', '{"_meta":null,"resultType":"complete"}', '{"_meta":null}'],
    ['escaped keys are the same keys', `{"result\\u0054ype":"complete","a":1}`, '{"a":1}'],
  ];
  for (const [name, comes, goes] of rows) t.equal(map(result(comes)), result(goes), name);

  const userData =
    '{"tools":[null,{"name":"t","execution":{"taskSupport":"optional"},"outputSchema":{"type":"object"},"icons":[{}],' +
    '"x-vendor":{"a":[1,null],"ttlMs":9007199254740993},"_meta":{"a":1}}],"nextCursor":"c","__proto__":{"resultType":"x"},' +
    '"content":[{"type":"unheard-of","n":1.0,"n":2e400}],"structuredContent":{"resultType":"input_required","cacheScope":1,' +
    `"_meta":{${info}}},"isError":false}`;
  t.equal(map(result(userData)), result(userData), 'user data that looks alike');
});

t.test('the id is the request’s own, value, type and spelling', async (t) => {
  const rows: [sent: string, comes: string][] = [
    ['"1"', '"1"'],
    ['"\\u00e9"', '"é"'],
    ['9007199254740993', '"9007199254740993"'],
    ['-0', '"-0"'],
  ];
  for (const [sent, comes] of rows) {
    t.equal(
      map(`{"id":${comes},"result":{},"jsonrpc":"2.0"}`, call(sent)),
      `{"id":${sent},"result":{},"jsonrpc":"2.0"}`,
    );
    t.match(map(`{"id":${comes},"error":{"code":1,"message":""},"jsonrpc":"2.0"}`, call(sent)), `{"id":${sent},"error`);
  }
  t.equal(map('{"jsonrpc":"2.0","id":"7","result":{}}'), 'nothing', '"7" is not 7');
  t.equal(map('{"jsonrpc":"2.0","id":8,"result":{}}'), 'nothing');
  t.equal(map('{"jsonrpc":"2.0","id":8,"error":{"code":-32603,"message":"x"}}'), 'nothing');
});

t.test('errors that a legacy client can show; message and data stay', async (t) => {
  const error = (code: string, data = ''): string =>
    `{"jsonrpc":"2.0","id":7,"error":{"message":"m","code":${code}${data},"x":1.0}}`;
  const uri = ',"data":{"uri":"file:///a","n":9007199254740993}';
  const rows: [method: string, comes: string, goes: string][] = [
    ['resources/read', error('-32602', uri), error('-32002', uri)],
    ['resources/read', error('-32602'), error('-32602')],
    ['resources/read', error('-32602', ',"data":"file:///a"'), error('-32602', ',"data":"file:///a"')],
    ['resources/read', error('-32603', uri), error('-32603', uri)],
    ['tools/call', error('-32602', uri), error('-32602', uri)],
    ['tools/call', error('-32020'), error('-32603')],
    [
      'tools/call',
      error('-32021', ',"data":{"requiredCapabilities":{"sampling":{}}}'),
      error('-32602', ',"data":{"requiredCapabilities":{"sampling":{}}}'),
    ],
    [
      'tools/call',
      error('-32022', ',"data":{"supported":["2027-01-01"]}'),
      error('-32603', ',"data":{"supported":["2027-01-01"]}'),
    ],
    ['tools/call', error('-32601'), error('-32601')],
    ['tools/call', error('-32001'), error('-32001')],
    ['tools/call', error('42'), error('42')],
  ];
  for (const [method, comes, goes] of rows) t.equal(map(comes, call('7', '', method)), goes, `${method} ${comes}`);
});

t.test('an error whose sender could not read the id is the answer too', async (t) => {
  t.equal(
    map('{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"?"}}'),
    '{"jsonrpc":"2.0","id":7,"error":{"code":-32700,"message":"?"}}',
  );
  t.equal(
    map('{"jsonrpc":"2.0","error":{"code":-32020,"message":"?"}}'),
    '{"jsonrpc":"2.0","error":{"code":-32603,"message":"?"},"id":7}',
  );
});

t.test('results that the client could not understand are refused', async (t) => {
  const rows: [string, string][] = [
    [result('{"resultType":"task","taskId":"t"}'), 'upstream-unintelligible: its resultType is "task"'],
    [result('{"resultType":null}'), 'upstream-unintelligible: its resultType is "null"'],
  ];
  for (const [comes, cell] of rows) t.equal(map(comes), cell, comes);
});

t.test('progress with the caller’s own token only', async (t) => {
  const progress = (token: string): string =>
    `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":${token},"progress":1.0}}`;
  const rows: [own: string, given: string, passes: boolean][] = [
    ['0', '0', true],
    ['"0"', '"0"', true],
    ['"é"', '"\\u00e9"', true],
    ['0', '"0"', false],
    ['"0"', '0', false],
    ['7', '8', false],
    ['"__proto__"', '"__proto__"', true],
    ['"__proto__"', '"constructor"', false],
  ];
  for (const [own, given, passes] of rows)
    t.equal(
      map(progress(given), call('7', `"progressToken":${own}`)),
      passes ? progress(given) : 'nothing',
      `${own} ${given}`,
    );
  t.equal(map(progress('7')), 'nothing', 'a call without a token has no progress');
  t.equal(map('{"jsonrpc":"2.0","method":"notifications/progress"}', call('7', '"progressToken":7')), 'nothing');
});

t.test('other notifications pass as they are', async (t) => {
  for (const text of [
    '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":{"n":1e2}}}',
    '{ "method":"notifications/vendor", "jsonrpc":"2.0" }',
  ])
    t.equal(map(text), text);
});

t.test('what is no message for the client goes nowhere', async (t) => {
  for (const text of [
    '{"jsonrpc":"2.0","id":7,"method":"elicitation/create","params":{}}',
    '[{"jsonrpc":"2.0","id":7,"result":{}}]',
    '{"jsonrpc":"2.0","id":7}',
    '{"jsonrpc":"2.0","id":7,"id":7,"result":{}}',
    '{"jsonrpc":"1.0","id":7,"result":{}}',
    '{"jsonrpc":"2.0","id":7,"result":[]}',
    '{}',
    '<!doctype html>',
    '',
  ])
    t.equal(map(text), 'nothing', text);
});
