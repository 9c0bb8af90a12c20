import t from 'tap';
import { rawText } from '../../../src/wire/json.js';
import { idKey, metaString, paramString, readMessage, readMessageAt, type Message } from '../../../src/wire/jsonrpc.js';
import { utf8 } from './support.js';

const read = (text: string) => readMessage(utf8(text));
const message = (text: string): Message => {
  const result = read(text);
  if (result.kind === 'batch' || result.kind === 'malformed') throw new Error(`no message but ${result.kind}: ${text}`);
  return result;
};

void t.test('the four kinds', async (t) => {
  const request = message('{"jsonrpc":"2.0","id":7,"method":"m","params":{"a":1,"_meta":{"k":"v"}}}');
  t.match(request, { kind: 'request', id: '7', method: 'm' });
  if (request.kind !== 'request') return;
  t.equal(rawText(request.bytes, request.params!), '{"a":1,"_meta":{"k":"v"}}');
  t.equal(rawText(request.bytes, request.meta!), '{"k":"v"}');
  t.same(request.root, { start: 0, end: request.bytes.length });

  const notification = message(' {"method":"notifications/x","jsonrpc":"2.0"} ');
  t.match(notification, { kind: 'notification', method: 'notifications/x', root: { start: 1 } });
  t.notOk('params' in notification || 'meta' in notification || 'id' in notification);

  const response = message('{"jsonrpc":"2.0","id":"a","result":{"x":[]},"extra":1}');
  t.match(response, { kind: 'response', id: '"a"' });
  t.equal(response.kind === 'response' && rawText(response.bytes, response.result), '{"x":[]}');

  const error = message('{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":""}}');
  t.match(error, { kind: 'error', id: '1' });
  t.equal(error.kind === 'error' && rawText(error.bytes, error.error), '{"code":-1,"message":""}');
});

void t.test('an error may lack an id, a result may not', async (t) => {
  for (const id of ['"id":null,', '']) {
    const error = message(`{"jsonrpc":"2.0",${id}"error":{}}`);
    t.equal(error.kind, 'error');
    t.notOk('id' in error);
    t.match(read(`{"jsonrpc":"2.0",${id}"result":{}}`), { kind: 'malformed', cell: 'not-json-rpc' });
  }
});

void t.test('ids are kept as they were written (B14)', async (t) => {
  const ids = [
    '1',
    '"1"',
    '0',
    '"0"',
    '-7',
    '-0',
    '9007199254740993',
    `${'9'.repeat(400)}`,
    '""',
    '"é\u2028"',
    '"\\u0061"',
    '"__proto__"',
  ];
  const idOf = (text: string) => {
    const result = message(text);
    return [result.kind, 'id' in result && result.id];
  };
  for (const id of ids) {
    t.same(idOf(`{"jsonrpc":"2.0","id":${id},"method":"m"}`), ['request', id]);
    t.same(idOf(`{"jsonrpc":"2.0","id": ${id} ,"result":{}}`), ['response', id]);
    t.same(idOf(`{"jsonrpc":"2.0","error":{},"id":\n${id}}`), ['error', id]);
  }
});

void t.test('ids that are none (B17)', async (t) => {
  for (const id of ['null', '1.5', '1.0', '1e3', '1E0', '{}', '[]', '[1]', 'true', 'false']) {
    const result = read(`{"jsonrpc":"2.0","id":${id},"method":"m"}`);
    t.match(result, { kind: 'malformed', cell: 'not-json-rpc', detail: /id must be/ }, id);
    t.notOk('id' in result, `${id} is not answered`);
  }
  t.match(read('{"jsonrpc":"2.0","id":1.5,"error":{}}'), { kind: 'malformed', cell: 'not-json-rpc' });
});

void t.test('params (B18)', async (t) => {
  for (const params of ['', ',"params":null', ',"params" : null ']) {
    const request = message(`{"jsonrpc":"2.0","id":1,"method":"tools/list"${params}}`);
    t.match(request, { kind: 'request', id: '1' });
    t.notOk('params' in request, `absent: ${params}`);
  }
  for (const params of ['[]', '[{}]', '1', '"x"', 'true', 'false'])
    t.match(
      read(`{"jsonrpc":"2.0","id":"q","method":"tools/call","params":${params}}`),
      { kind: 'malformed', cell: 'not-json-rpc', id: '"q"', detail: /params must be an object/ },
      params,
    );
  t.match(message('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":null}}'), {
    kind: 'request',
  });
});

void t.test('_meta that is no object is user data', async (t) => {
  for (const meta of ['null', '[]', '"x"', '1']) {
    const request = message(`{"jsonrpc":"2.0","id":1,"method":"m","params":{"_meta":${meta}}}`);
    t.ok('params' in request);
    t.notOk('meta' in request, meta);
  }
});

void t.test('duplicates of what routes a message (B21)', async (t) => {
  const top = { jsonrpc: '"2.0"', method: '"m"', params: '{}' };
  for (const [key, value] of Object.entries(top))
    for (const twin of [key, `\\u${key.charCodeAt(0).toString(16).padStart(4, '0')}${key.slice(1)}`])
      t.match(
        read(`{"jsonrpc":"2.0","id":4,"method":"m","params":{},"${twin}":${value}}`),
        { kind: 'malformed', cell: 'duplicate-member', id: '4', detail: new RegExp(`"${key}"`) },
        twin,
      );
  for (const key of ['result', 'error'])
    t.match(read(`{"jsonrpc":"2.0","id":4,"${key}":{},"${key}":{}}`), { cell: 'duplicate-member', id: '4' }, key);

  for (const more of ['', ',"method":"n"']) {
    const twoIds = read(`{"jsonrpc":"2.0","method":"m"${more},"id":1,"id":1}`);
    t.match(twoIds, { kind: 'malformed', cell: 'duplicate-member' });
    t.notOk('id' in twoIds, 'of two ids none is the id');
  }

  for (const key of ['name', 'uri', 'taskId', 'taskHandle', '_meta'])
    for (const twin of [key, `${key.slice(0, 1)}\\u${key.charCodeAt(1).toString(16).padStart(4, '0')}${key.slice(2)}`])
      t.match(
        read(`{"jsonrpc":"2.0","id":4,"method":"m","params":{"${key}":"ok","x":1,"${twin}":"danger"}}`),
        { kind: 'malformed', cell: 'duplicate-member', id: '4', detail: new RegExp(`params.${key}"`) },
        twin,
      );
});

void t.test('what looks like a duplicate and is none', async (t) => {
  for (const text of [
    '{"jsonrpc":"2.0","id":1,"ID":2,"method":"m","Method":"n","params":{"name":"ok","Name":"danger","NAME":1}}',
    '{"jsonrpc":"2.0","id":1,"method":"m","params":{"arguments":{"name":1,"name":2,"id":1,"id":2}}}',
    '{"jsonrpc":"2.0","id":1,"method":"m","params":{"_meta":{"name":1,"name":2}},"x":1,"x":2}',
    '{"jsonrpc":"2.0","id":1,"method":"m","params":{"id":1,"id":2}}',
    '{"jsonrpc":"2.0","id":1,"method":"m","params":{"__proto__":{"name":1},"__proto__":{},"constructor":{"prototype":1}}}',
  ])
    t.match(read(text), { kind: 'request', id: '1', method: 'm' }, text);
});

void t.test('what is no message', async (t) => {
  const cases: [text: string, detail: RegExp, id?: string][] = [
    ['null', /not null/],
    ['42', /not number/],
    ['"x"', /not string/],
    ['true', /not true/],
    ['{}', /jsonrpc/],
    ['{"id":3,"method":"m"}', /jsonrpc/, '3'],
    ['{"jsonrpc":"1.0","id":3,"method":"m"}', /jsonrpc/, '3'],
    ['{"jsonrpc":2.0,"id":3,"method":"m"}', /jsonrpc/, '3'],
    ['{"jsonrpc":"2.0"}', /no method/],
    ['{"jsonrpc":"2.0","id":3}', /no method/, '3'],
    ['{"jsonrpc":"2.0","id":3,"method":1}', /method must be/, '3'],
    ['{"jsonrpc":"2.0","id":3,"method":null}', /method must be/, '3'],
    ['{"jsonrpc":"2.0","id":3,"method":"m","result":{}}', /neither/, '3'],
    ['{"jsonrpc":"2.0","id":3,"method":"m","error":{}}', /neither/, '3'],
    ['{"jsonrpc":"2.0","id":3,"result":{},"error":{}}', /either/, '3'],
    ['{"jsonrpc":"2.0","id":3,"result":null}', /objects/, '3'],
    ['{"jsonrpc":"2.0","id":3,"error":"boom"}', /objects/, '3'],
  ];
  for (const [text, detail, id] of cases) {
    const result = read(text);
    t.match(result, { kind: 'malformed', cell: 'not-json-rpc', detail }, text);
    t.equal('id' in result ? result.id : undefined, id, `id of ${text}`);
  }
});

void t.test('what is no JSON', async (t) => {
  t.match(read('{"jsonrpc":"2.0","id":1,}'), {
    kind: 'malformed',
    cell: 'not-json',
    detail: 'unexpected } at byte 24',
  });
  t.match(read(''), { kind: 'malformed', cell: 'not-json' });
  t.match(readMessage(Buffer.from([0x22, 0xff, 0x22])), { cell: 'not-json', detail: 'invalid UTF-8 at byte 1' });
  t.match(read('[{"jsonrpc":"2.0"}'), { cell: 'not-json' }, 'a broken array is no batch');
});

void t.test('an escaped spelling of what is expected is accepted', async (t) => {
  t.match(read('{"json\\u0072pc":"2\\u002e0","id":1,"method":"tools\\/call"}'), {
    kind: 'request',
    method: 'tools/call',
  });
});

void t.test('a byte order mark stands before the message', async (t) => {
  t.match(read('\ufeff{"jsonrpc":"2.0","id":1,"method":"m"}'), { kind: 'request', root: { start: 3 } });
});

void t.test('batches: every element on its own', async (t) => {
  const batch = read('[ {"jsonrpc":"2.0","id":1,"method":"a"}, 5 ,{"jsonrpc":"2.0","method":"b"},[]]');
  t.equal(batch.kind, 'batch');
  if (batch.kind !== 'batch') return;
  t.match(
    batch.elements.map((span) => readMessageAt(batch.bytes, span)),
    [
      { kind: 'request', id: '1', method: 'a' },
      { kind: 'malformed', cell: 'not-json-rpc' },
      { kind: 'notification', method: 'b' },
      { kind: 'malformed', cell: 'not-json-rpc', detail: /not array/ },
    ],
  );
  t.match(read('[]'), { kind: 'batch', elements: [] });
});

void t.test('strings of params and _meta', async (t) => {
  const request = message(
    '{"jsonrpc":"2.0","id":1,"method":"m","params":{"n\\u0061me":"x\\ny","n":1,"_meta":{"v":"2026-07-28","o":{}}}}',
  );
  t.equal(paramString(request, 'name'), 'x\ny');
  t.equal(metaString(request, 'v'), '2026-07-28');
  for (const key of ['n', 'none', '__proto__', 'constructor']) t.equal(paramString(request, key), undefined, key);
  for (const key of ['o', 'none', 'name']) t.equal(metaString(request, key), undefined, key);
  for (const other of [
    message('{"jsonrpc":"2.0","method":"m"}'),
    message('{"jsonrpc":"2.0","id":1,"result":{"name":"x","_meta":{"v":"x"}}}'),
  ]) {
    t.equal(paramString(other, 'name'), undefined);
    t.equal(metaString(other, 'v'), undefined);
  }
});

void t.test('idKey tells types apart and takes spellings together', async (t) => {
  t.not(idKey('1'), idKey('"1"'));
  t.not(idKey('9007199254740993'), idKey('9007199254740992'));
  t.equal(idKey('"a"'), idKey('"\\u0061"'));
  t.equal(idKey('"a/b"'), idKey('"a\\/b"'));
  t.equal(idKey('"é"'), idKey('"\\u00e9"'));
  t.equal(idKey('"\\n"'), idKey('"\\u000A"'));
  t.equal(idKey('"\\ud800"'), idKey('"\\uD800"'), 'lone surrogates too');
  t.not(idKey('"\\ud800"'), idKey('"\ufffd"'));
  t.not(idKey('"\\\\u0061"'), idKey('"a"'), 'an escaped backslash begins no escape');
});
