/** Upstreams that break, lie or speak in riddles while a legacy client waits: it always gets an answer with its id. */
import type { Socket } from 'node:net';
import t from 'tap';
import {
  answer,
  chunk,
  halfClose,
  hang,
  head,
  html,
  lyingLength,
  redirect,
  resetBeforeHead,
  resetMidStream,
  silentStream,
  slowBody,
  stream,
  type Script,
} from '../../../upstreams/scripted.js';
import { read } from '../../passthrough/gateway.js';
import { initialize, legacyOnModern, type Setting } from './rig.js';

const call = (id: string): string =>
  `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"a","_meta":{"progressToken":1}}}`;
const progress = '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}';
const done = '{"jsonrpc":"2.0","id":"q","result":{"resultType":"complete","a":1}}';
const event = (data: string): string => `data: ${data}\n\n`;
const events = { headers: ['Content-Type', 'text/event-stream'] };
const short: Setting = { timeouts: { firstByte: 300, idle: 300 } };

interface Row {
  readonly script: Script;
  readonly status: number;
  readonly cell?: string;
  readonly code?: number;
  readonly says?: RegExp;
}

const rows: Readonly<Record<string, Row>> = {
  'a reset before the head': { script: resetBeforeHead(), status: 502, cell: 'upstream-reset' },
  'a connection closed before the head': { script: halfClose(), status: 502, cell: 'upstream-reset' },
  'no head in time': { script: hang(), status: 504, cell: 'upstream-timeout' },
  'a body that stops coming': {
    script: slowBody(['{"jsonrpc"', ':"2.0"}'], 4_000),
    status: 504,
    cell: 'upstream-timeout',
  },
  'a body that is cut off': { script: lyingLength(500, '{"jsonrpc":"2.0",'), status: 502, cell: 'upstream-reset' },
  'a login page': { script: html(), status: 502, cell: 'upstream-unintelligible', says: /HTTP 200 .*<!doctype html>/ },
  'an empty answer': { script: answer({}), status: 502, cell: 'upstream-unintelligible' },
  'an accepted notification': { script: answer({ status: 202 }), status: 502, cell: 'upstream-unintelligible' },
  'another envelope': {
    script: answer({ body: '{"raw":{"result":1}}' }),
    status: 502,
    cell: 'upstream-unintelligible',
  },
  'a batch': { script: answer({ body: `[${done}]` }), status: 502, cell: 'upstream-unintelligible' },
  'the answer to another request': {
    script: answer({ body: '{"jsonrpc":"2.0","id":"r","result":{}}' }),
    status: 502,
    cell: 'upstream-unintelligible',
  },
  'the answer with the id’s type changed': {
    script: answer({ body: '{"jsonrpc":"2.0","id":7,"result":{}}' }),
    status: 502,
    cell: 'upstream-unintelligible',
  },
  'invalid UTF-8': {
    script: answer({ body: Buffer.from('{"jsonrpc":"2.0","id":"q","result":{"a":"\xff"}}', 'latin1') }),
    status: 502,
    cell: 'upstream-unintelligible',
  },
  'an HTTP error': {
    script: answer({ status: 503, body: 'busy' }),
    status: 502,
    cell: 'upstream-failed',
    says: /HTTP 503 .*busy/,
  },
  'an HTTP error as a page': { script: html(500), status: 502, cell: 'upstream-failed' },
  'an HTTP error that is an event stream': {
    script: answer({ status: 500, ...events }),
    status: 502,
    cell: 'upstream-failed',
  },
  'a redirect': { script: redirect(307, 'http://internal.example/'), status: 502, cell: 'upstream-redirect' },
  'bare JSON labelled as an event stream': { script: answer({ ...events, body: done }), status: 200 },
  'bare JSON labelled as text': {
    script: answer({ headers: ['Content-Type', 'text/plain'], body: done }),
    status: 200,
  },
  'white space and a byte order mark before the answer': {
    script: answer({ ...events, body: `\ufeff\r\n ${done}` }),
    status: 200,
  },
  'no answer in an event stream': {
    script: stream([event(progress)]),
    status: 200,
    cell: 'upstream-reset',
    code: -32603,
  },
  'an empty event stream': { script: stream([]), status: 200, cell: 'upstream-reset', code: -32603 },
  'a last event that is cut off': {
    script: stream([`data: ${done}\n`]),
    status: 200,
    cell: 'upstream-reset',
    code: -32603,
  },
  'a reset in the stream': {
    script: resetMidStream([event(progress)]),
    status: 200,
    cell: 'upstream-reset',
    code: -32603,
  },
  'a stream that falls silent': { script: silentStream(), status: 200, cell: 'upstream-timeout', code: -32603 },
  'a result of a type unheard-of': {
    script: answer({ body: '{"jsonrpc":"2.0","id":"q","result":{"resultType":"task"}}' }),
    status: 502,
    cell: 'upstream-unintelligible',
  },
};

for (const [name, row] of Object.entries(rows)) {
  t.test(name, async (t) => {
    const rig = await legacyOnModern(t, row.script, short);
    const session = await rig.session();
    const { status, body } = await rig.post(session, call('"q"'));
    t.equal(status, row.status);
    const text = body.toString();
    const last = JSON.parse(text.startsWith('{') ? text : (text.trimEnd().split('data: ').at(-1) as string)) as Record<
      string,
      unknown
    >;
    t.equal(last['id'], 'q');
    if (row.cell === undefined) t.same(last['result'], { a: 1 });
    else t.match(last['error'], { code: row.code ?? -32603, message: row.says ?? /./ });
    t.match(await rig.logged('tools/call'), { cell: row.cell, outcome: row.cell === undefined ? 'ok' : 'refused' });
    t.equal(rig.calls.length, 1, 'nothing is sent twice: it may have been executed');
    t.equal((await rig.post(session, '{"jsonrpc":"2.0","id":1,"method":"ping"}')).status, 200, 'the session goes on');
  });
}

t.test('errors of the upstream come with 200, whatever its HTTP status', async (t) => {
  const statuses: [status: number, code: number, got: number][] = [
    [200, -32603, -32603],
    [404, -32601, -32601],
    [400, -32602, -32602],
    [400, -32020, -32603],
    [400, -32021, -32602],
    [400, -32022, -32603],
    [500, -32603, -32603],
  ];
  for (const [status, code, got] of statuses) {
    const error = (shown: number): string =>
      `{"jsonrpc":"2.0","id":"q","error":{"code":${shown},"message":"m","data":{"n":9007199254740993}}}`;
    const rig = await legacyOnModern(t, answer({ status, body: error(code) }));
    const answered = await rig.post(await rig.session(), call('"q"'));
    t.equal(answered.status, 200, `${status} ${code}`);
    t.equal(answered.body.toString(), error(got));
  }
});

t.test('a challenge reaches the client whose credential it was', async (t) => {
  const challenges = ['Bearer error="insufficient_scope", scope="a b"', 'Basic realm="gw"'];
  const headers = ['Content-Type', 'text/plain', ...challenges.flatMap((one) => ['WWW-Authenticate', one])];
  const denied = (status: number): Script => answer({ status, headers, body: 'no' });
  for (const status of [401, 403]) {
    const rig = await legacyOnModern(t, denied(status));
    const got = await rig.post(await rig.session(), call('"q"'));
    t.equal(got.status, status);
    t.same(got.all('www-authenticate'), [challenges.join(', ')]);
    t.match(JSON.parse(got.body.toString()), { id: 'q', error: { code: -32600 } });

    const own = await legacyOnModern(t, denied(status), { headers: new Map([['authorization', 'Bearer own']]) });
    const ours = await own.post(await own.session(), call('"q"'));
    t.equal(ours.status, 502, 'and not the one whose credential it was not');
    t.same(ours.all('www-authenticate'), []);
    t.match(await own.logged('tools/call'), { cell: 'upstream-credential' });
  }
});

t.test('the head of a stream comes with that of the upstream, the end soon after its break', async (t) => {
  const rig = await legacyOnModern(t, async (_seen, socket) => {
    socket.write(head(200, ['Content-Type', 'text/event-stream', 'Transfer-Encoding', 'chunked']));
    setTimeout(() => socket.write(chunk(event(progress))), 400);
    setTimeout(() => socket.resetAndDestroy(), 500);
  });
  const session = await rig.session();
  const started = performance.now();
  const incoming = await rig.open(session, call('"q"'));
  t.ok(performance.now() - started < 350, 'before anything was said');
  const text = (await read(incoming)).toString();
  t.ok(performance.now() - started < 1_500);
  t.match(text, `${event(progress)}data: {"jsonrpc":"2.0","id":"q","error":{"code":-32603,`);
});

t.test('an event beyond all bounds is an error with the id', async (t) => {
  const block = Buffer.alloc(1024 * 1024, 'x');
  const writable = (socket: Socket): Promise<void> =>
    new Promise((resolve) => {
      const go = (): void => {
        socket.off('drain', go).off('close', go);
        resolve();
      };
      socket.on('drain', go).on('close', go);
    });
  const rig = await legacyOnModern(t, async (_seen, socket) => {
    socket.write(head(200, ['Content-Type', 'text/event-stream', 'Content-Length', String(200 * block.length)]));
    socket.write('data: ');
    for (let n = 0; n < 70 && !socket.destroyed; n++) if (!socket.write(block)) await writable(socket);
  });
  const { body } = await rig.post(await rig.session(), call('"q"'));
  t.match(body.toString(), /^data: \{"jsonrpc":"2\.0","id":"q","error":\{"code":-32603,"message":".*larger than/);
});

t.test('initialize that cannot be answered opens no session', async (t) => {
  const rig = await legacyOnModern(t, hang(), { discover: '"not even an object"' });
  const got = await rig.post(undefined, initialize());
  t.equal(got.status, 502);
  t.match(JSON.parse(got.body.toString()), { id: 0, error: { code: -32603 } });
  t.same(got.all('mcp-session-id'), []);

  const wrong = await rig.post(undefined, initialize().replace('"2025-11-25"', '20251125'));
  t.equal(wrong.status, 200);
  t.match(JSON.parse(wrong.body.toString()), { id: 0, error: { code: -32602, message: /protocolVersion/ } });
  t.same(wrong.all('mcp-session-id'), []);
});
