import t from 'tap';
import { mapRequest, upstreamId, type Envelope } from '../../../../src/translate/legacy-to-modern/map-request.js';
import { read } from './messages.js';

const envelope: Envelope = {
  clientInfo: '{ "name":"desk", "version":"1.0", "build":9007199254740993 }',
  clientCapabilities: '{"roots":{},"x":1.0}',
  logLevel: undefined,
};
const own =
  '"io.modelcontextprotocol/protocolVersion":"2026-07-28",' +
  `"io.modelcontextprotocol/clientInfo":${envelope.clientInfo},` +
  `"io.modelcontextprotocol/clientCapabilities":${envelope.clientCapabilities}`;
const level = '"io.modelcontextprotocol/logLevel":"debug"';
const version = '"io.modelcontextprotocol/protocolVersion"';

const map = (text: string, more: Partial<Envelope> = {}, trace = {}): string =>
  mapRequest(read('request', text), { ...envelope, ...more }, trace).toString();

t.test('what goes up: the client’s bytes and the envelope', async (t) => {
  const rows: [name: string, comes: string, goes: string][] = [
    [
      'no params',
      '{"jsonrpc":"2.0", "id":1, "method":"tools/list"}',
      `{"jsonrpc":"2.0", "id":1, "method":"tools/list","params":{"_meta":{${own}}}}`,
    ],
    [
      'params null: none are introduced that were not meant',
      '{"jsonrpc":"2.0","params":null,"id":1,"method":"tools/list"}',
      `{"jsonrpc":"2.0","params":{"_meta":{${own}}},"id":1,"method":"tools/list"}`,
    ],
    [
      'empty params',
      '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{ }}',
      `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{${own}} }}`,
    ],
    [
      'params without _meta: numbers, twins and odd keys stand',
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{"__proto__":{"x":1},"n":9007199254740993,"f":1.0,"z":-0,"k":1,"k":2,"e":1E+2,"_meta":{"io.modelcontextprotocol/protocolVersion":"mine"}},"vendor":[null]}}',
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{"__proto__":{"x":1},"n":9007199254740993,"f":1.0,"z":-0,"k":1,"k":2,"e":1E+2,"_meta":{"io.modelcontextprotocol/protocolVersion":"mine"}},"vendor":[null],"_meta":{${own}}}}`,
    ],
    [
      'empty _meta',
      '{"jsonrpc":"2.0","id":1,"method":"m","params":{"_meta":{}}}',
      `{"jsonrpc":"2.0","id":1,"method":"m","params":{"_meta":{${own}}}}`,
    ],
    [
      'a _meta of others: the progress token and foreign keys stand',
      '{"jsonrpc":"2.0","id":1,"method":"m","params":{"_meta":{"progressToken" : 7,"com.example/a":{"b":1.0}},"cursor":"x"}}',
      `{"jsonrpc":"2.0","id":1,"method":"m","params":{"_meta":{"progressToken" : 7,"com.example/a":{"b":1.0},${own}},"cursor":"x"}}`,
    ],
    [
      'a _meta that is none',
      '{"jsonrpc":"2.0","id":1,"method":"m","params":{"_meta":null,"cursor":"x"}}',
      `{"jsonrpc":"2.0","id":1,"method":"m","params":{"_meta":{${own}},"cursor":"x"}}`,
    ],
    [
      'a stray envelope key is the gateway’s, wherever and however often it stands',
      `{"jsonrpc":"2.0","id":1,"method":"m","params":{"_meta":{${version}:"2099-01-01","a":1,"io.modelcontextprotocol\\/protocolVersion":7}}}`,
      `{"jsonrpc":"2.0","id":1,"method":"m","params":{"_meta":{${version}:"2026-07-28","a":1,${own.slice(own.indexOf(',') + 1)}}}}`,
    ],
    [
      'a log level that the session did not ask for',
      `{"jsonrpc":"2.0","id":1,"method":"m","params":{"_meta":{"a":1,${level}}}}`,
      `{"jsonrpc":"2.0","id":1,"method":"m","params":{"_meta":{"a":1,${own}}}}`,
    ],
    [
      'what stood around the message',
      '\ufeff \n{"jsonrpc":"2.0","id":1,"method":"m","params":{"_meta":{}}}\n',
      `{"jsonrpc":"2.0","id":1,"method":"m","params":{"_meta":{${own}}}}`,
    ],
  ];
  for (const [name, comes, goes] of rows) t.equal(map(comes), goes, name);
});

t.test('the log level of the session goes along', async (t) => {
  const logLevel = '"debug"';
  t.equal(
    map('{"jsonrpc":"2.0","id":1,"method":"m"}', { logLevel }),
    `{"jsonrpc":"2.0","id":1,"method":"m","params":{"_meta":{${own},${level}}}}`,
  );
  t.equal(
    map('{"jsonrpc":"2.0","id":1,"method":"m","params":{"_meta":{"io.modelcontextprotocol/logLevel":"info"}}}', {
      logLevel,
    }),
    `{"jsonrpc":"2.0","id":1,"method":"m","params":{"_meta":{${level},${own}}}}`,
  );
});

t.test('trace context from HTTP headers, where _meta has none', async (t) => {
  const bare = '{"jsonrpc":"2.0","id":1,"method":"m"}';
  const traced = (meta: string): string => `{"jsonrpc":"2.0","id":1,"method":"m","params":{"_meta":{${meta}}}}`;
  const trace = { traceparent: '00-1-2-01', tracestate: 'a="b"', baggage: undefined };
  t.equal(map(bare, {}, trace), traced(`${own},"traceparent":"00-1-2-01","tracestate":"a=\\"b\\""`));
  t.equal(map(bare, {}, { baggage: 'k=v' }), traced(`${own},"baggage":"k=v"`));
  t.equal(map(traced('"a":1'), {}, trace), traced(`"a":1,${own},"traceparent":"00-1-2-01","tracestate":"a=\\"b\\""`));
  t.equal(
    map(traced('"traceparent":"00-9-9-01"'), {}, trace),
    traced(`"traceparent":"00-9-9-01",${own}`),
    'the caller’s own is not mixed with the hop’s',
  );
});

t.test('ids go up as they are, unless a double would change them', async (t) => {
  const rows: [id: string, goes: string][] = [
    ['1', '1'],
    ['0', '0'],
    ['-7', '-7'],
    ['9007199254740991', '9007199254740991'],
    ['9007199254740993', '"9007199254740993"'],
    ['-0', '"-0"'],
    ['100000000000000000000000', '"100000000000000000000000"'],
    ['"1"', '"1"'],
    ['""', '""'],
    ['"\\u00e9\\u2028"', '"\\u00e9\\u2028"'],
    ['"__proto__"', '"__proto__"'],
  ];
  for (const [id, goes] of rows) {
    t.equal(upstreamId(id), goes, id);
    t.ok(map(`{"jsonrpc":"2.0","id":${id},"method":"m"}`).startsWith(`{"jsonrpc":"2.0","id":${goes},"method":"m",`));
  }
});
