/** Mirrored arguments over real sockets: learned from the list, mended after −32020 (bugs of the kind of B51). */
import t from 'tap';
import { answer, hang, stream, type Script, type Seen } from '../../../upstreams/scripted.js';
import { eventually, legacyOnModern } from './rig.js';

const tool = (name: string, header: string): string =>
  `{"name":"${name}","inputSchema":{"type":"object","properties":{"where":{"type":"string","x-mcp-header":"${header}"}}}}`;
const call = (name = 'a', where = '"x"'): string =>
  `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"${name}","arguments":{"where":${where}}}}`;
const list = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}';
const done = '{"jsonrpc":"2.0","id":7,"result":{"content":[]}}';
const mismatch = '{"jsonrpc":"2.0","id":7,"error":{"code":-32020,"message":"Header mismatch"}}';

const idOf = ({ body }: Seen): string => JSON.stringify((JSON.parse(body.toString()) as { id: unknown }).id);
const cursorOf = ({ body }: Seen): string | undefined =>
  (JSON.parse(body.toString()) as { params: { cursor?: string } }).params.cursor;

/** Answers a list with `tools`, or with the page that the cursor names. */
const lists =
  (pages: Readonly<Record<string, string>>, more = ''): Script =>
  (seen, socket) => {
    const at = cursorOf(seen) ?? 'first';
    const names = Object.keys(pages);
    const next = names[names.indexOf(at) + 1];
    const cursor = next === undefined ? '' : `,"nextCursor":"${next}"`;
    const result = `{"resultType":"complete","ttlMs":0,"cacheScope":"private"${more},"tools":[${pages[at]}]${cursor}}`;
    return answer({ body: `{"jsonrpc":"2.0","id":${idOf(seen)},"result":${result}}` })(seen, socket);
  };

/** An upstream that refuses calls whose header `name` does not say "x". */
const wants =
  (name: string, pages: Readonly<Record<string, string>>): Script =>
  (seen, socket) => {
    if (seen.all('mcp-method')[0] === 'tools/list') return lists(pages)(seen, socket);
    const fits = seen.all(name)[0] === 'x';
    return answer(fits ? { body: done } : { status: 400, body: mismatch })(seen, socket);
  };

t.test('a listed tool is called with its headers, and they are computed here', async (t) => {
  const rig = await legacyOnModern(
    t,
    wants('mcp-param-where', { first: tool('b', 'Other'), 'next "é': tool('a', 'Where') }),
  );
  const session = await rig.session();
  await rig.post(session, list);
  await rig.post(session, list.replace('"tools/list"', '"tools/list","params":{"cursor":"next \\"é"}'));
  const { body } = await rig.post(session, call(), { 'mcp-param-where': 'forged', 'mcp-param-else': 'forged' });
  t.equal(body.toString(), done);
  t.equal(rig.calls.length, 3);
  const seen = await rig.call(2);
  t.same(seen.all('mcp-param-where'), ['x']);
  t.same(seen.all('mcp-param-else'), []);
  await rig.post(session, call('a', 'null'));
  t.same((await rig.call(3)).all('mcp-param-where'), [], 'null has no header');
  await rig.post(session, call('c'));
  t.same((await rig.call(5)).all('mcp-param-where'), [], 'nor has another tool');
});

t.test('a tool that was never listed: one refused call, the whole list, one more call', async (t) => {
  const rig = await legacyOnModern(
    t,
    wants('mcp-param-where', { first: tool('b', 'Other'), second: tool('a', 'Where') }),
  );
  const session = await rig.session(undefined, { authorization: 'Bearer mine' });
  const { status, body } = await rig.post(session, call(), { authorization: 'Bearer mine' });
  t.same([status, body.toString()], [200, done]);
  t.same(
    rig.calls.map((seen) => [seen.all('mcp-method')[0], seen.all('authorization')[0]]),
    ['tools/call', 'tools/list', 'tools/list', 'tools/call'].map((method) => [method, 'Bearer mine']),
  );
  const page = JSON.parse(rig.calls[2]?.body.toString() ?? '') as { params: object };
  t.match(page.params, { cursor: 'second', _meta: { 'io.modelcontextprotocol/clientInfo': { name: 'desk' } } });
  await rig.post(session, call(), { authorization: 'Bearer mine' });
  t.equal(rig.calls.length, 5, 'from now on it is known');
  const other = await rig.session(undefined, { authorization: 'Bearer other' });
  await rig.post(other, call(), { authorization: 'Bearer other' });
  t.equal(rig.calls.length, 9, 'to its owner');
});

t.test('a tool that has changed since it was listed', async (t) => {
  let header = 'Old';
  const rig = await legacyOnModern(t, (seen, socket) =>
    wants(`mcp-param-${header}`, { first: tool('a', header) })(seen, socket),
  );
  const session = await rig.session();
  await rig.post(session, list);
  header = 'New';
  t.equal((await rig.post(session, call())).body.toString(), done);
  t.same(
    rig.calls.map((seen) => seen.all('mcp-method')[0]),
    ['tools/list', 'tools/call', 'tools/list', 'tools/call'],
  );
  t.same(rig.calls[3]?.all('mcp-param-old'), []);
});

t.test('what the list does not mend is told to the client, and nothing is sent for ever', async (t) => {
  const error = { id: 7, error: { code: -32603, message: 'Header mismatch' } };
  const rows: [name: string, lists: Script, sent: number][] = [
    ['the same list', lists({ first: tool('b', 'Where') }), 2],
    ['other headers, and refused again', lists({ first: tool('a', 'Wrong') }), 3],
    [
      'a list that goes in a circle',
      (seen, socket) =>
        answer({ body: `{"jsonrpc":"2.0","id":${idOf(seen)},"result":{"tools":[],"nextCursor":"again"}}` })(
          seen,
          socket,
        ),
      3,
    ],
    [
      'a list without an end',
      (seen, socket) =>
        answer({
          body: `{"jsonrpc":"2.0","id":${idOf(seen)},"result":{"tools":[],"nextCursor":"${cursorOf(seen) ?? ''}x"}}`,
        })(seen, socket),
      101,
    ],
    ['no list', answer({ status: 500, body: 'oh' }), 2],
    ['a list that breaks off', (_seen, socket) => void socket.resetAndDestroy(), 2],
    ['a list that never comes', hang(), 2],
  ];
  for (const [name, listing, sent] of rows) {
    const rig = await legacyOnModern(
      t,
      (seen, socket) =>
        seen.all('mcp-method')[0] === 'tools/list'
          ? listing(seen, socket)
          : answer({ status: 400, body: mismatch })(seen, socket),
      { timeouts: { firstByte: 1_000 } },
    );
    const { status, body } = await rig.post(await rig.session(), call());
    t.equal(status, 200, name);
    t.match(JSON.parse(body.toString()), error, name);
    t.equal(rig.calls.length, sent, name);
  }
});

t.test('a list that comes as a stream, which stays open', async (t) => {
  const rig = await legacyOnModern(t, (seen, socket) => {
    if (seen.all('mcp-method')[0] !== 'tools/list') return wants('mcp-param-where', {})(seen, socket);
    const result = `{"jsonrpc":"2.0","id":${idOf(seen)},"result":{"tools":[${tool('a', 'Where')}]}}`;
    const message = '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}';
    return stream([`data: ${message}\n\n`, `data: ${result}\n\n`], { open: true })(seen, socket);
  });
  t.equal((await rig.post(await rig.session(), call())).body.toString(), done);
});

t.test('other refusals with 400 are what they are', async (t) => {
  for (const [body, told] of [
    ['{"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"no"}}', { error: { code: -32602, message: 'no' } }],
    ['<html>', { error: { code: -32603, message: /HTTP 400 "<html>"/ } }],
  ] as const) {
    const rig = await legacyOnModern(t, answer({ status: 400, body }));
    const got = await rig.post(await rig.session(), call());
    t.match(JSON.parse(got.body.toString()), told);
    t.equal(rig.calls.length, 1);
  }
});

t.test('a call that is cancelled while the list is on its way', async (t) => {
  const rig = await legacyOnModern(t, (seen, socket) =>
    seen.all('mcp-method')[0] === 'tools/list' ? undefined : answer({ status: 400, body: mismatch })(seen, socket),
  );
  const session = await rig.session();
  const answered = rig.post(session, call());
  const listing = await rig.call(1);
  await rig.post(session, '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}');
  await listing.gone;
  t.same((await answered).body.toString(), '');
  t.equal(rig.calls.length, 2);
});

t.test('tools with invalid annotations are not shown; every other byte is', async (t) => {
  const good = '{ "name":"good", "inputSchema":{"type":"object","maximum":1.0}, "x-vendor":[1,null] }';
  const bad = tool('bad', 'no name');
  for (const [comes, goes] of [
    [`${bad}, ${good} ,null`, `${good} ,null`],
    [`${good} , ${bad},${bad}`, good],
    [`null,${bad} ,${good}`, `null ,${good}`],
    [bad, ''],
  ] as const) {
    const rig = await legacyOnModern(t, lists({ first: comes }, ',"n":9007199254740993'));
    const { body } = await rig.post(await rig.session(), list);
    t.equal(body.toString(), `{"jsonrpc":"2.0","id":1,"result":{"n":9007199254740993,"tools":[${goes}]}}`);
    const lines = await eventually(() => rig.lines.filter(({ msg }) => msg === 'a tool is not shown to clients'));
    t.match(lines, [{ tool: 'bad', reason: /x-mcp-header of "where" is no name/ }]);
    t.equal(lines.length, 1);
  }
});
