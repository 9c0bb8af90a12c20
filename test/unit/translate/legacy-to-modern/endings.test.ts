/** How calls and sessions of a legacy client end before their time. */
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { answer, chunk, hang, silentStream, stream, type Script } from '../../../upstreams/scripted.js';
import { open, read } from '../../passthrough/gateway.js';
import { initialize, legacyOnModern, type Rig } from './rig.js';

const call = (id: string): string => `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"a"}}`;
const cancel = (id: string): string =>
  `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${id},"reason":"enough"}}`;
const said = '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"begun"}}';
const hello = stream([`data: ${said}\n\n`], { open: true });

/** Whether the upstream's connection of a call is closed within `ms`. */
async function closes(rig: Rig, index: number, ms: number): Promise<boolean> {
  const { gone } = await rig.call(index);
  return Promise.race([gone.then(() => true), sleep(ms, false)]);
}

/** An answer to whatever id was asked, after `ms`. */
const answerAfter =
  (ms: number): Script =>
  async (seen, socket) => {
    const { id } = JSON.parse(seen.body.toString()) as { id: unknown };
    await sleep(ms);
    await answer({ body: `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{}}` })(seen, socket);
  };

t.test('a cancelled call closes its upstream stream, and ends without an answer', async (t) => {
  for (const [name, script, body] of [
    ['in the middle of its stream', hello, `data: ${said}\n\n`],
    ['before anything was said', silentStream(), ''],
    ['before the head', hang(), ''],
  ] as const) {
    const rig = await legacyOnModern(t, script);
    const session = await rig.session();
    const asked = rig.post(session, call('5'));
    await rig.call(0);
    await sleep(100);
    t.equal((await rig.post(session, cancel('5'))).status, 202);
    const got = await asked;
    t.equal(got.status, 200, name);
    t.same(got.all('content-type'), ['text/event-stream']);
    t.equal(got.body.toString(), body);
    t.ok(await closes(rig, 0, 2_000), 'the upstream hears of it');
    t.match(await rig.logged('tools/call'), { outcome: 'client-gone' });
  }
});

t.test('a cancelled call of a client that reads only JSON', async (t) => {
  const rig = await legacyOnModern(t, silentStream());
  const session = await rig.session();
  const asked = rig.post(session, call('"a"'), { accept: 'application/json' });
  await rig.call(0);
  await rig.post(session, cancel('"a"'));
  const got = await asked;
  t.match({ status: got.status, body: got.body.length }, { status: 202, body: 0 });
});

t.test('only this session’s call of this very id is cancelled', async (t) => {
  const rig = await legacyOnModern(t, answerAfter(300));
  const [mine, other] = [await rig.session(), await rig.session()];
  const asked = [rig.post(mine, call('1')), rig.post(other, call('"1"'))];
  await rig.call(1);
  for (const [session, id] of [
    [mine, '"1"'],
    [other, '1'],
    [mine, '2'],
    [mine, 'null'],
    [mine, '{"__proto__":1}'],
  ] as const)
    t.equal((await rig.post(session, cancel(id))).status, 202, 'accepted and ignored');
  t.equal((await rig.post(mine, '{"jsonrpc":"2.0","method":"notifications/cancelled"}')).status, 202);
  const bodies = (await Promise.all(asked)).map(({ body }) => body.toString());
  t.same(bodies, ['{"jsonrpc":"2.0","id":1,"result":{}}', '{"jsonrpc":"2.0","id":"1","result":{}}']);
});

t.test('an id that is under way is not taken a second time', async (t) => {
  const rig = await legacyOnModern(t, answerAfter(200));
  const [session, other] = [await rig.session(), await rig.session()];
  const first = rig.post(session, call('1'));
  await rig.call(0);
  const second = await rig.post(session, call('1'));
  t.equal(second.status, 400);
  t.match(JSON.parse(second.body.toString()), { id: 1, error: { code: -32600 } });
  t.equal(rig.calls.length, 1);
  t.match(
    JSON.parse((await rig.post(other, call('1'))).body.toString()),
    { id: 1, result: {} },
    'in another session it is',
  );
  t.match(JSON.parse((await first).body.toString()), { id: 1, result: {} });
  t.match(JSON.parse((await rig.post(session, call('1'))).body.toString()), { id: 1, result: {} }, 'and afterwards');
});

t.test('DELETE ends the session and answers what is under way', async (t) => {
  const rig = await legacyOnModern(t, [hello, hang()]);
  const [session, other] = [await rig.session(), await rig.session()];
  const streaming = rig.post(session, call('1'));
  await rig.call(0);
  const waiting = rig.post(session, call('2'));
  await rig.call(1);
  await sleep(100);
  t.equal((await rig.bare('DELETE', session)).status, 200);

  const [onStream, byStatus] = await Promise.all([streaming, waiting]);
  t.match(onStream.body.toString(), /^data: .*begun.*\n\ndata: \{"jsonrpc":"2\.0","id":1,"error":\{"code":-32600,/);
  t.equal(byStatus.status, 404);
  t.match(JSON.parse(byStatus.body.toString()), { id: 2, error: { code: -32600 } });
  t.ok(await closes(rig, 0, 2_000));
  t.ok(await closes(rig, 1, 2_000));

  t.equal((await rig.post(session, call('3'))).status, 404);
  t.equal((await rig.bare('DELETE', session)).status, 404);
  t.equal((await rig.post(other, '{"jsonrpc":"2.0","id":1,"method":"ping"}')).status, 200);
});

t.test('a client that drops its connection has not cancelled: the call goes on, for a while', async (t) => {
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  const held: Script = async (seen, socket) => {
    await released;
    await stream([`data: ${said}\n\n`, 'data: {"jsonrpc":"2.0","id":1,"result":{}}\n\n'])(seen, socket);
  };
  const rig = await legacyOnModern(t, [held, answerAfter(0), silentStream()], { limits: { detachedCall: 700 } });
  const session = await rig.session();
  const leave = async (id: string): Promise<void> => {
    const incoming = open(rig.url, call(id), {
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-session-id': session,
      },
      signal: AbortSignal.timeout(150),
    });
    await incoming.then(
      (message) => message.resume().on('error', () => undefined),
      () => undefined,
    );
    await sleep(300);
  };
  await leave('1');
  t.equal(rig.calls.length, 1);
  t.notOk(await closes(rig, 0, 50), 'the upstream has not heard of it');
  t.equal((await rig.post(session, call('1'))).status, 400, 'it is still under way');
  release();
  await sleep(200);
  const again = await rig.post(session, call('1'));
  t.match(JSON.parse(again.body.toString()), { id: 1, result: {} }, 'it has ended, and its answer went to nobody');

  const asked = performance.now();
  await leave('2');
  t.ok(await closes(rig, 2, 3_000), 'nobody came back for this one');
  t.ok(performance.now() - asked > 700, 'and it had its time');
});

t.test('a slow client holds its upstream back, and is no hindrance to its end', async (t) => {
  let written = 0;
  const endless: Script = (_seen, socket) => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n');
    const event = chunk(
      `data: {"jsonrpc":"2.0","method":"notifications/message","params":{"data":"${'x'.repeat(256 * 1024)}"}}\n\n`,
    );
    const more = (): void => {
      while (!socket.destroyed && written < 400) {
        written++;
        if (!socket.write(event)) return void socket.once('drain', more);
      }
    };
    more();
  };
  const rig = await legacyOnModern(t, [endless, answerAfter(0)]);
  const session = await rig.session();
  const incoming = await rig.open(session, call('1')); // and does not read on
  await sleep(500);
  const held = written;
  t.ok(held < 200, `${held} of 400 events were written`);
  await sleep(200);
  t.equal(written, held, 'nothing more is taken');
  t.equal((await rig.post(session, cancel('1'))).status, 202);
  t.ok(await closes(rig, 0, 2_000), 'the call ends though the client does not read');
  t.equal((await rig.post(session, call('1'))).status, 200, 'and its id is free');
  await read(incoming);
});

t.test('a session is idle from the end of its last call on', async (t) => {
  const rig = await legacyOnModern(t, answerAfter(1_300), { limits: { sessionIdle: 1_000 } });
  const session = await rig.session();
  await rig.post(session, call('1')); // longer than it may be idle
  await sleep(850);
  const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
  t.equal((await rig.post(session, ping)).status, 200);
  await sleep(2_200);
  t.equal((await rig.post(session, ping)).status, 404);
});

t.test('a client that leaves during the handshake leaves no session behind', async (t) => {
  const rig = await legacyOnModern(t, hang(), { limits: { sessions: 1 }, discoverAfter: 400 });
  await t.rejects(
    open(rig.url, initialize(), { headers: { 'content-type': 'application/json' }, signal: AbortSignal.timeout(100) }),
  );
  await sleep(500);
  t.ok(await rig.session());
  const refused = await rig.post(undefined, initialize());
  t.equal(refused.status, 503);
  t.ok(refused.all('retry-after')[0]);
});

t.test('an upstream that turns out to be of another era is asked again', async (t) => {
  for (const [name, script] of [
    [
      'it refuses the revision',
      answer({ status: 400, body: '{"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"no"}}' }),
    ],
    [
      'it does not know the endpoint',
      answer({ status: 404, headers: ['Content-Type', 'text/plain'], body: 'nothing here' }),
    ],
  ] as const) {
    const rig = await legacyOnModern(t, script, { era: 'auto' });
    const session = await rig.session();
    await sleep(100); // the gateway knocks when it starts
    await rig.session();
    const before = rig.discovered();
    await rig.session();
    t.equal(rig.discovered(), before, 'what is believed is not asked');
    await rig.post(session, call('1'));
    await rig.session();
    t.equal(rig.discovered(), before + 1, name);
  }
});
