/** A modern upstream asks for input: what the client is asked, and what the upstream gets. */
import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { stream, type Script } from '../../../upstreams/scripted.js';
import { asks, converse, respond, says, type Conversation, type Said } from './conversation.js';
import { eventually, legacyOnModern, type Rig, type Setting } from './rig.js';

const able = '{"elicitation":{"form":{},"url":{}},"sampling":{"tools":{}},"roots":{}}';
const call = (id: string, method = 'tools/call', params = '{"name":"a"}'): string =>
  `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}`;
const roots = (key = 'r'): string => `{"${key}":{"method":"roots/list"}}`;
const done = says('{"resultType":"complete","content":[]}');

interface Sent {
  readonly id: unknown;
  readonly params: Readonly<Record<string, unknown>>;
}
const sentOf = async (rig: Rig, index: number): Promise<Sent> =>
  JSON.parse((await rig.call(index)).body.toString()) as Sent;

async function set(t: Test, scripts: Script | Script[], setting?: Setting): Promise<{ rig: Rig; session: string }> {
  const rig = await legacyOnModern(t, scripts, setting);
  return { rig, session: await rig.session('2025-11-25', {}, able) };
}

/** The next `count` messages, which all have to come. */
async function take(conversation: Conversation, count: number): Promise<Said[]> {
  const said: Said[] = [];
  while (said.length < count) {
    const message = await conversation.next();
    if (message === undefined) throw new Error(`the stream ended after ${said.length} messages`);
    said.push(message);
  }
  return said;
}

t.test('one question: the params, the key, the answer and the state cross byte for byte', async (t) => {
  const params =
    '{ "message":"\\u00e9?", "requestedSchema":{"maximum":9007199254740993,"__proto__":{"f":1.0,"f":-0}} }';
  const { rig, session } = await set(t, [
    asks(`{"__proto__":{"method":"elicitation/create","params":${params}}}`, '"\\u0041 st\\/ate"'),
    done,
  ]);
  const original = call('9007199254740993', 'tools/call', '{"name":"a","arguments":{"n":1E400,"n":2}}');
  const stream = await converse(rig, session, original);
  t.match(stream.incoming.headers, { 'content-type': 'text/event-stream' });
  const [question] = (await take(stream, 1)) as [Said];
  t.equal(
    question.text,
    `{"jsonrpc":"2.0","id":${JSON.stringify(question.id)},"method":"elicitation/create","params":${params}}`,
  );
  const result = '{"action":"accept","content":{"n":9007199254740993,"f":1.0,"__proto__":1,"n":2}}';
  t.equal(await respond(rig, session, question.id, `"result":${result}`), 202);
  const [last] = (await take(stream, 1)) as [Said];
  t.equal(last.text, '{"jsonrpc":"2.0","id":9007199254740993,"result":{"content":[]}}');
  t.equal(await stream.next(), undefined);

  const bodies = rig.calls.map(({ body }) => body.toString());
  const [first, retry] = bodies as [string, string];
  const { id } = JSON.parse(retry) as Sent;
  t.not(id, (JSON.parse(first) as Sent).id);
  t.equal(
    retry,
    first
      .replace('"9007199254740993"', JSON.stringify(id))
      .replace(
        '"arguments":{"n":1E400,"n":2}',
        `$&,"inputResponses":{"__proto__":${result}},"requestState":"\\u0041 st\\/ate"`,
      ),
    'and else the same bytes',
  );
  t.same(rig.calls[1]?.all('mcp-name'), ['a']);
});

t.test('several at once, answered in any order, while other calls run', async (t) => {
  const { rig, session } = await set(t, [
    asks(
      '{"1":{"method":"roots/list"},"a":{"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}},' +
        '"0":{"method":"elicitation/create","params":{"message":"?","requestedSchema":{}}}}',
    ),
    done,
    done,
  ]);
  const stream = await converse(rig, session, call('"c"'));
  const questions = await take(stream, 3);
  t.same(
    questions.map(({ method }) => method),
    ['roots/list', 'sampling/createMessage', 'elicitation/create'],
  );
  t.equal(new Set(questions.map(({ id }) => id)).size, 3);
  t.equal((await rig.post(session, call('"other"'))).status, 200);
  t.equal((await sentOf(rig, 1)).id, 'other');
  const [r, s, e] = questions as [Said, Said, Said];
  await respond(rig, session, e.id, '"result":{"action":"decline"}');
  await respond(rig, session, r.id, '"result":{"roots":[]}');
  await respond(rig, session, r.id, '"result":{"roots":["twice"]}');
  await sleep(50);
  t.equal(rig.calls.length, 2, 'not before the last');
  await respond(rig, session, s.id, '"result":{"role":"assistant"}');
  const [answer] = (await take(stream, 1)) as [Said];
  t.match(answer, { id: 'c', result: { content: [] } });
  const body = (await rig.call(2)).body.toString();
  t.match(body, '"inputResponses":{"1":{"roots":[]},"a":{"role":"assistant"},"0":{"action":"decline"}}');
  t.notMatch(body, 'requestState', 'there was none');
});

t.test('round after round, each with its own state and answers; messages flow between', async (t) => {
  const progress = (n: number): string =>
    `data: {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":5,"progress":${n}}}\n\n`;
  const inStream =
    (n: number, result: string): Script =>
    (seen, socket) => {
      const { id } = JSON.parse(seen.body.toString()) as Sent;
      return stream([progress(n), `data: {"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}\n\n`])(
        seen,
        socket,
      );
    };
  const { rig, session } = await set(t, [
    inStream(1, `{"resultType":"input_required","inputRequests":${roots('one')},"requestState":"s1"}`),
    inStream(2, `{"resultType":"input_required","inputRequests":${roots('two')}}`),
    inStream(3, '{"resultType":"input_required","requestState":"s3"}'),
    inStream(4, '{"resultType":"complete","content":[]}'),
  ]);
  const conversation = await converse(
    rig,
    session,
    call('1', 'tools/call', '{"name":"a","_meta":{"progressToken":5}}'),
  );
  const ids: unknown[] = [];
  for (const n of [1, 2]) {
    const [event, question] = (await take(conversation, 2)) as [Said, Said];
    t.match(event.params, { progress: n });
    ids.push(question.id);
    await respond(rig, session, question.id, `"result":{"roots":[{"uri":"file:///${n}"}]}`);
  }
  const [third, fourth, answer] = (await take(conversation, 3)) as [Said, Said, Said];
  t.same([third.params?.['progress'], fourth.params?.['progress']], [3, 4]);
  t.match(answer, { id: 1, result: { content: [] } });
  t.equal(new Set(ids).size, 2);

  const sent = await Promise.all([0, 1, 2, 3].map((index) => sentOf(rig, index)));
  t.equal(new Set(sent.map(({ id }) => id)).size, 4, 'never the same id upstream');
  t.same(
    sent.map(({ params }) => [params['inputResponses'], params['requestState']]),
    [
      [undefined, undefined],
      [{ one: { roots: [{ uri: 'file:///1' }] } }, 's1'],
      [{ two: { roots: [{ uri: 'file:///2' }] } }, undefined],
      [undefined, 's3'],
    ],
  );
});

t.test('prompts and resources ask too; nothing else may', async (t) => {
  for (const [method, params] of [
    ['prompts/get', '{"name":"p"}'],
    ['resources/read', '{"uri":"file:///a"}'],
  ] as const) {
    const { rig, session } = await set(t, [asks(roots()), says('{"resultType":"complete","ttlMs":1,"a":1}')]);
    const stream = await converse(rig, session, call('1', method, params));
    const [question] = (await take(stream, 1)) as [Said];
    await respond(rig, session, question.id, '"result":{"roots":[]}');
    t.match((await stream.next())?.result, { a: 1 }, method);
  }
  const { rig, session } = await set(t, asks(roots()));
  const got = await rig.post(session, call('1', 'tools/list', '{}'));
  t.match(await rig.logged('tools/list'), { cell: 'upstream-unintelligible' });
  t.match(JSON.parse(got.body.toString()), { id: 1, error: { code: -32603, message: /"tools\/list"/ } });
});

t.test('a client without the capability is never asked', async (t) => {
  const rig = await legacyOnModern(
    t,
    asks('{"r":{"method":"roots/list"},"s":{"method":"sampling/createMessage","params":{}}}', '"s"'),
  );
  const session = await rig.session(); // it has roots and nothing else
  const tool = await rig.post(session, call('1'));
  t.equal(tool.status, 200);
  const { id, result } = JSON.parse(tool.body.toString()) as Said;
  t.equal(id, 1);
  t.match(result, { isError: true, content: [{ type: 'text', text: /the capability sampling$/ }] });
  t.match(await rig.logged('tools/call'), { cell: 'input-not-declared', outcome: 'refused' });
  const prompt = await rig.post(session, call('2', 'prompts/get', '{"name":"p"}'));
  t.match(JSON.parse(prompt.body.toString()), { id: 2, error: { code: -32602, message: /the capability sampling$/ } });
  t.equal(rig.calls.length, 2, 'nothing is sent again');
});

t.test('a client that reads no streams cannot be asked', async (t) => {
  const { rig, session } = await set(t, asks(roots()));
  const got = await rig.post(session, call('1'), { accept: 'application/json' });
  t.equal(got.status, 200);
  t.match(JSON.parse(got.body.toString()), { id: 1, error: { code: -32603, message: /text\/event-stream/ } });
});

t.test('an error of the client ends the call; the other questions are withdrawn', async (t) => {
  const { rig, session } = await set(t, asks('{"a":{"method":"roots/list"},"b":{"method":"roots/list"}}'));
  const stream = await converse(rig, session, call('"c"'));
  const [a, b] = (await take(stream, 2)) as [Said, Said];
  await respond(rig, session, b.id, '"error":{"code":-1,"message":"the user said no"}');
  const [withdrawn, answer] = (await take(stream, 2)) as [Said, Said];
  t.match(withdrawn, { method: 'notifications/cancelled', params: { requestId: a.id } });
  t.match(answer, { id: 'c', error: { code: -32603, message: /roots\/list: -1 "the user said no"/ } });
  t.equal(await stream.next(), undefined);
  t.equal(await respond(rig, session, a.id, '"result":{"roots":[]}'), 202, 'too late, and no harm');
  await sleep(50);
  t.equal(rig.calls.length, 1);
  t.match(await rig.logged('tools/call'), { cell: 'input-failed', outcome: 'refused' });
});

t.test('a client that never answers', async (t) => {
  const { rig, session } = await set(t, [asks(roots()), done], { limits: { input: 200 } });
  const stream = await converse(rig, session, call('1'));
  const [question, withdrawn, answer] = (await take(stream, 3)) as [Said, Said, Said];
  t.match(withdrawn, { method: 'notifications/cancelled', params: { requestId: question.id } });
  t.match(answer, { id: 1, error: { code: -32603, message: /limits\.input/ } });
  t.equal(await respond(rig, session, question.id, '"result":{"roots":[]}'), 202);
  t.match(JSON.parse((await rig.post(session, call('1'))).body.toString()), { id: 1 }, 'and the id is free');
  t.notMatch(rig.calls[1]?.body.toString(), 'inputResponses', 'a late answer gets into no other call');
});

t.test('a server that asks for ever', async (t) => {
  const { rig, session } = await set(t, asks(roots(), '"s"'));
  const stream = await converse(rig, session, call('1'));
  for (let round = 1; round <= 16; round++) {
    const [question] = (await take(stream, 1)) as [Said];
    await respond(rig, session, question.id, '"result":{"roots":[]}');
  }
  t.match(await stream.next(), { id: 1, error: { code: -32603, message: /16 rounds/ } });
  t.equal(rig.calls.length, 17);
});

t.test('only the session that was asked can answer', async (t) => {
  const { rig, session } = await set(t, (seen, socket) => {
    const { params } = JSON.parse(seen.body.toString()) as Sent;
    if (params['inputResponses'] !== undefined) return done(seen, socket);
    return asks(roots(), `"state of ${String(params['name'])}"`)(seen, socket);
  });
  const other = await rig.session('2025-11-25', {}, able);
  const named = (name: string): string => call('1', 'tools/call', `{"name":"${name}"}`);
  const mine = await converse(rig, session, named('mine'));
  const theirs = await converse(rig, other, named('theirs'));
  const [asked] = (await take(mine, 1)) as [Said];
  const [askedToo] = (await take(theirs, 1)) as [Said];
  t.equal(await respond(rig, other, asked.id, '"result":{"roots":["stolen"]}'), 202);
  t.equal(await respond(rig, session, askedToo.id, '"result":{"roots":["stolen"]}'), 202);
  for (const id of ['__proto__', 0, 1, 'unknown'])
    t.equal(await respond(rig, session, id, '"result":{"roots":["stolen"]}'), 202);
  await sleep(100);
  t.equal(rig.calls.length, 2, 'nothing moves');
  await respond(rig, other, askedToo.id, '"result":{"roots":["theirs"]}');
  t.match(await theirs.next(), { id: 1, result: {} });
  await respond(rig, session, asked.id, '"result":{"roots":["mine"]}');
  t.match(await mine.next(), { id: 1, result: {} });
  t.match((await sentOf(rig, 2)).params, {
    name: 'theirs',
    inputResponses: { r: { roots: ['theirs'] } },
    requestState: 'state of theirs',
  });
  t.match((await sentOf(rig, 3)).params, {
    name: 'mine',
    inputResponses: { r: { roots: ['mine'] } },
    requestState: 'state of mine',
  });
});

t.test('an owner’s question is no one else’s', async (t) => {
  const rig = await legacyOnModern(t, [asks(roots()), done]);
  const owner = { authorization: 'Bearer mine' };
  const session = await rig.session('2025-11-25', owner, able);
  const incoming = await rig.open(session, call('1'), owner);
  const text = eventually(() => (incoming.read() as Buffer | null)?.toString());
  const id = /"id":("[^"]+")/.exec(await text)?.[1] as string;
  const answer = `{"jsonrpc":"2.0","id":${id},"result":{"roots":[]}}`;
  t.equal((await rig.post(session, answer, { authorization: 'Bearer theirs' })).status, 404);
  await sleep(50);
  t.equal(rig.calls.length, 1);
  t.equal((await rig.post(session, answer, owner)).status, 202);
  await rig.call(1);
  incoming.destroy();
});

t.test('what ends the call frees what it waits for', async (t) => {
  const cancel = '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}';
  for (const [name, script, calls] of [
    ['while the client is asked', asks(roots()), 1],
    ['while it waits for the upstream', asks(undefined, '"s"'), 3], // the next pause is a second
  ] as const) {
    const { rig, session } = await set(t, script);
    const got = rig.post(session, call('1'));
    await rig.call(calls - 1);
    await sleep(50);
    const at = performance.now();
    t.equal((await rig.post(session, cancel)).status, 202);
    t.notMatch((await got).body.toString(), '"id":1', `cancelled ${name}`);
    t.ok(performance.now() - at < 700, 'at once');
    t.match(await rig.logged('tools/call'), { outcome: 'client-gone' });
    await sleep(1_000);
    t.equal(rig.calls.length, calls, 'it is not sent again');
  }
  const { rig, session } = await set(t, asks(roots()));
  const stream = await converse(rig, session, call('1'));
  const [question] = (await take(stream, 1)) as [Said];
  t.equal((await rig.bare('DELETE', session)).status, 200);
  t.match(await stream.next(), { id: 1, error: { code: -32600 } });
  t.equal((await rig.post(session, `{"jsonrpc":"2.0","id":"${question.id}","result":{}}`)).status, 404);
  t.equal(rig.calls.length, 1);
});

t.test('a client that lost its connection can still answer; one that does not is not waited for', async (t) => {
  const { rig, session } = await set(t, [asks(roots()), done, asks(roots())], { limits: { detachedCall: 400 } });
  const lost = await converse(rig, session, call('1'));
  const [question] = (await take(lost, 1)) as [Said];
  lost.incoming.destroy();
  await sleep(50);
  t.equal(await respond(rig, session, question.id, '"result":{"roots":[]}'), 202);
  t.match((await sentOf(rig, 1)).params, { inputResponses: { r: { roots: [] } } });

  const silent = await converse(rig, session, call('2'));
  const [unanswered] = (await take(silent, 1)) as [Said];
  silent.incoming.destroy();
  await sleep(600);
  t.equal(await respond(rig, session, unanswered.id, '"result":{"roots":[]}'), 202);
  await sleep(50);
  t.equal(rig.calls.length, 3, 'it had ended');
});

t.test('elicitation at a url: an id of ours, and its completion when the call moves on', async (t) => {
  const at = (url: string, more = ''): string =>
    `{"method":"elicitation/create","params":{"mode":"url","message":"Sign in","url":"https://${url}"${more}}}`;
  const { rig, session } = await set(t, [
    asks(`{"x":${at('a.example')},"y":${at('b.example', ',"elicitationId":"theirs"')},"z":${at('c.example')}}`),
    asks(undefined, '"not yet"'),
    asks(`{"x":${at('a.example')}}`),
    done,
  ]);
  const stream = await converse(rig, session, call('1'));
  const accept = async ({ id }: Said, action = 'accept'): Promise<void> =>
    void (await respond(rig, session, id, `"result":{"action":"${action}"}`));
  const [x, y, z] = (await take(stream, 3)) as [Said, Said, Said];
  const minted = x.params?.['elicitationId'];
  t.match(minted, /^[0-9a-f-]{36}$/);
  t.match(x.text, '"url":"https://a.example","elicitationId":', 'the rest stands');
  t.equal(y.params?.['elicitationId'], 'theirs');
  await Promise.all([accept(x), accept(y), accept(z, 'decline')]);
  const [complete, again] = (await take(stream, 2)) as [Said, Said];
  t.match(complete, { method: 'notifications/elicitation/complete', params: { elicitationId: 'theirs' } });
  t.equal(again.params?.['elicitationId'], minted, 'the same elicitation, not over yet');
  await accept(again);
  const [last, answer] = (await take(stream, 2)) as [Said, Said];
  t.same(last.params, { elicitationId: minted });
  t.match(answer, { id: 1, result: {} });
  t.equal(await stream.next(), undefined);
});
