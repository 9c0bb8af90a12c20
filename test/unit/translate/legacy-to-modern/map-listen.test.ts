import t from 'tap';
import { readMessage } from '../../../../src/wire/jsonrpc.js';
import {
  advertisedLists,
  isEmpty,
  letsThrough,
  listenRequest,
  nothing,
  readHeard,
  type Change,
  type Filter,
} from '../../../../src/translate/legacy-to-modern/map-listen.js';

const id = '"l-1"';
const hear = (text: string) => readHeard(readMessage(Buffer.from(text)), id);
const tag = `"io.modelcontextprotocol/subscriptionId":${id}`;
const filter = (lists: string[], uris: string[] = []): Filter => ({ lists: new Set(lists), uris: new Set(uris) });

t.test('the request names what is wanted and nothing else', (t) => {
  const rows: [Filter, string][] = [
    [nothing, '{}'],
    [filter(['toolsListChanged', 'resourcesListChanged']), '{"toolsListChanged":true,"resourcesListChanged":true}'],
    [filter([], ['a"b', 'é']), '{"resourceSubscriptions":["a\\"b","é"]}'],
  ];
  for (const [wanted, notifications] of rows)
    t.equal(
      listenRequest(id, wanted).bytes.toString(),
      `{"jsonrpc":"2.0","id":${id},"method":"subscriptions/listen","params":{"notifications":${notifications}}}`,
    );
  t.ok(isEmpty(nothing));
  t.notOk(isEmpty(filter([], ['a'])));
  t.end();
});

t.test('only lists that are advertised are listened to', (t) => {
  const rows: [capabilities: string, lists: string[]][] = [
    [
      '{"tools":{"listChanged":true},"prompts":{"listChanged":false},"resources":{"subscribe":true}}',
      ['toolsListChanged'],
    ],
    [
      '{"resources":{"listChanged":true},"prompts":{"listChanged":true}}',
      ['promptsListChanged', 'resourcesListChanged'],
    ],
    ['{"tools":true,"prompts":{"listChanged":"true"},"experimental":{"listChanged":true}}', []],
    ['null', []],
  ];
  for (const [capabilities, lists] of rows)
    t.same(advertisedLists(Buffer.from(`{"capabilities":${capabilities}}`)), lists, capabilities);
  t.same(advertisedLists(Buffer.from('{}')), []);
  t.end();
});

t.test('a change loses the name of its subscription, and no other byte', (t) => {
  const method = '"method":"notifications/resources/updated"';
  const rows: [name: string, came: string, goes: string][] = [
    [
      'the usual',
      `{"jsonrpc":"2.0",${method},"params":{"_meta":{${tag}},"uri":"file:///a"}}`,
      `{"jsonrpc":"2.0",${method},"params":{"uri":"file:///a"}}`,
    ],
    [
      'others in _meta',
      ` {${method}, "jsonrpc":"2.0","params":{"uri":"file:///a", "n":9007199254740993,"_meta":{"a":1.0,${tag},"b":{}}}} `,
      `{${method}, "jsonrpc":"2.0","params":{"uri":"file:///a", "n":9007199254740993,"_meta":{"a":1.0,"b":{}}}}`,
    ],
    [
      'no tag at all, and one that is user data',
      `{"jsonrpc":"2.0",${method},"params":{"uri":"file:///a","x":{${tag}},"_meta":{}}}`,
      `{"jsonrpc":"2.0",${method},"params":{"uri":"file:///a","x":{${tag}},"_meta":{}}}`,
    ],
  ];
  for (const [name, came, goes] of rows) {
    const heard = hear(came) as Change;
    t.match(heard, { kind: 'updated', subject: 'file:///a' }, name);
    t.equal(heard.bytes.toString(), goes, name);
  }
  for (const list of ['tools', 'prompts', 'resources']) {
    const heard = hear(`{"jsonrpc":"2.0","method":"notifications/${list}/list_changed","params":{"_meta":{${tag}}}}`);
    t.match(heard, { kind: 'list-changed', subject: `${list}ListChanged` });
    t.equal(
      (heard as Change).bytes.toString(),
      `{"jsonrpc":"2.0","method":"notifications/${list}/list_changed","params":{}}`,
    );
  }
  t.match(hear('{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}'), { kind: 'list-changed' });
  t.end();
});

t.test('an acknowledgement honours what it names', (t) => {
  const honoured = (params: string) =>
    hear(`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":${params}}`);
  t.same(
    honoured(
      `{"_meta":{${tag}},"notifications":{"toolsListChanged":true,"promptsListChanged":false,"resourceSubscriptions":["a","\\u00e9",7]}}`,
    ),
    { kind: 'acknowledged', honoured: filter(['toolsListChanged'], ['a', 'é']) },
  );
  for (const params of ['{}', '{"notifications":[]}', '{"notifications":{"resourceSubscriptions":"a"}}'])
    t.same(honoured(params), { kind: 'acknowledged', honoured: nothing }, params);
  t.end();
});

t.test('what ends a subscription', (t) => {
  for (const text of [
    `{"jsonrpc":"2.0","id":${id},"result":{"resultType":"complete","_meta":{${tag}}}}`,
    `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${id}}}`,
    `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"\\u006c-1"}}`,
  ])
    t.same(hear(text), { kind: 'over' }, text);
  t.same(hear(`{"jsonrpc":"2.0","id":${id},"error":{"code":-32601,"message":"no such method"}}`), {
    kind: 'error',
    code: '-32601',
    detail: '-32601 "no such method"',
  });
  t.match(hear('{"jsonrpc":"2.0","error":{}}'), { kind: 'error', code: '' }, 'one without an id is ours');
  t.end();
});

t.test('what is not for this client', (t) => {
  for (const text of [
    '{"jsonrpc":"2.0","id":1,"result":{}}',
    '{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""}}',
    '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}',
    '{"jsonrpc":"2.0","method":"notifications/cancelled"}',
    '{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"l-2"}}}',
    '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}',
    '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}',
    '{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":7}}',
    '{"jsonrpc":"2.0","id":1,"method":"roots/list"}',
    '[]',
    'ping',
  ])
    t.match(hear(text), { kind: 'nothing', why: /./ }, text);
  t.end();
});

t.test('only what was asked for comes through', (t) => {
  const wanted = filter(['toolsListChanged'], ['file:///a', 'file:///dir/']);
  const comes = (kind: Change['kind'], subject: string): boolean =>
    letsThrough(wanted, { kind, subject, bytes: Buffer.alloc(0) });
  t.ok(comes('list-changed', 'toolsListChanged'));
  t.notOk(comes('list-changed', 'promptsListChanged'));
  for (const uri of ['file:///a', 'file:///a/b', 'file:///a#b', 'file:///a?b', 'file:///dir/b'])
    t.ok(comes('updated', uri), uri);
  for (const uri of ['file:///', 'file:///ab', 'file:///b', 'file:///dir', 'toolsListChanged', ''])
    t.notOk(comes('updated', uri), uri);
  t.end();
});
