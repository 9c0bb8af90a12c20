/** HTTP+SSE over real sockets: what its story in test/transcripts and the matrix do not show. */
import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import t, { type Test } from 'tap';
import { configFromFlags } from '../../../src/config/load.js';
import type { Config, Limits } from '../../../src/config/types.js';
import { startGateway } from '../../../src/main.js';
import { SseDecoder, type SseEvent } from '../../../src/wire/sse-decode.js';
import { answer, hang, scripted, type Script, type Seen } from '../../upstreams/scripted.js';
import { fetchRaw, headOf, open, read, type Got } from '../passthrough/gateway.js';
import { eventually, initialize } from '../translate/legacy-to-modern/rig.js';

type Headers = Readonly<Record<string, string>>;
type Given = Partial<Omit<Config, 'limits'>> & {
  readonly limits?: Partial<Limits>;
  /** Where the second upstream is served. */
  readonly second?: string;
};

const discovered =
  '{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":60000,"cacheScope":"public"}';
const call = (id: string): string => `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"a"}}`;
const ping = (id: string): string => `{"jsonrpc":"2.0","id":${id},"method":"ping"}`;

/** A gateway in front of one scripted modern upstream that is served twice, as `one` and as `two`. */
async function start(t: Test, script: Script, given: Given = {}) {
  const calls: Seen[] = [];
  const upstream = await scripted((seen, socket) => {
    const { id, method } = JSON.parse(seen.body.toString()) as { id: unknown; method: string };
    if (method === 'server/discover')
      return answer({ body: `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${discovered}}` })(seen, socket);
    calls.push(seen);
    return script(seen, socket);
  });
  const flags = { listen: '127.0.0.1:0', upstreams: ['one', 'two'].map((name) => `${name}=${upstream.url.href}`) };
  const config = configFromFlags(flags);
  const upstreams = new Map(config.upstreams);
  const two = upstreams.get('two');
  if (given.second !== undefined && two !== undefined) upstreams.set('two', { ...two, paths: [given.second] });
  const limits = { ...config.limits, ...given.limits };
  const plain = { admin: undefined, shutdownGrace: 0 };
  const gateway = await startGateway({ ...config, ...plain, ...given, limits, upstreams }, pino({ level: 'silent' }));
  t.teardown(async () => {
    await gateway.close();
    await upstream.close();
  });
  return { calls, url: (path: string) => new URL(path, gateway.addresses.gateway), close: () => gateway.close() };
}

type Rig = Awaited<ReturnType<typeof start>>;

/** An open stream. */
interface Stream {
  readonly incoming: IncomingMessage;
  readonly events: readonly SseEvent[];
  /** Where to post. */
  readonly endpoint: string;
  post(body: string, headers?: Headers): Promise<Got>;
  /** The data of the message with this index, as soon as it is there. */
  message(index: number): Promise<string>;
}

async function connect(rig: Rig, path = '/one/mcp/sse', headers: Headers = {}): Promise<Stream> {
  const incoming = await open(rig.url(path), undefined, { method: 'GET', headers });
  if (incoming.statusCode !== 200) throw new Error(`${incoming.statusCode} ${(await read(incoming)).toString()}`);
  const events: SseEvent[] = [];
  const decoder = new SseDecoder();
  incoming.on('data', (chunk: Buffer) => events.push(...decoder.push(chunk))).on('error', () => undefined);
  const endpoint = await eventually(() => events[0]?.event === 'endpoint' && events[0].data.toString());
  return {
    incoming,
    events,
    endpoint,
    post: (body, more) => post(rig, endpoint, body, { ...headers, ...more }),
    message: async (index) => (await eventually(() => events[index + 1])).data.toString(),
  };
}

const post = (rig: Rig, path: string, body: string, headers: Headers = {}): Promise<Got> =>
  fetchRaw(rig.url(path), body, { headers: { 'content-type': 'application/json', ...headers } });

/** An open stream on which a session has been opened. */
async function session(rig: Rig, revision = '2024-11-05', path?: string, headers?: Headers): Promise<Stream> {
  const stream = await connect(rig, path, headers);
  await stream.post(initialize(revision));
  await stream.message(0);
  return stream;
}

const echo: Script = (seen, socket) => {
  const { id } = JSON.parse(seen.body.toString()) as { id: unknown };
  return answer({ body: `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"resultType":"complete"}}` })(
    seen,
    socket,
  );
};

const saidOf = (got: Got): { status: number; id?: unknown; message?: string } => {
  const { id, error } = JSON.parse(got.body.toString()) as { id?: unknown; error?: { message: string } };
  return { status: got.status, id, ...(error && { message: error.message }) };
};

t.test('any legacy revision, and ids of any kind', async (t) => {
  const rig = await start(t, echo);
  for (const revision of ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']) {
    const stream = await session(rig, revision, '/two/mcp/sse/');
    t.match(stream.endpoint, /^\/two\/mcp\/messages\?sessionId=[\w-]{32}$/);
    t.match(await stream.message(0), `"protocolVersion":"${revision}"`);
    const got = await stream.post(call('"1"'), { 'mcp-protocol-version': revision });
    t.match({ status: got.status, body: got.body.toString() }, { status: 202, body: '' });
    t.equal(await stream.message(1), '{"jsonrpc":"2.0","id":"1","result":{}}');
    t.equal(stream.events[2]?.event, 'message');
    stream.incoming.destroy();
  }
});

t.test('the endpoint is under the path of publicUrl, and served with and without it', async (t) => {
  const rig = await start(t, echo, { publicUrl: new URL('https://example.com/tools/') });
  const stream = await session(rig);
  t.match(stream.endpoint, /^\/tools\/one\/mcp\/messages\?/);
  t.equal((await post(rig, stream.endpoint.replace('/tools', ''), ping('7'))).status, 202);
  t.match(await stream.message(1), '"id":7');
});

t.test('the upstream gets the client’s query, and never the name of the stream', async (t) => {
  const rig = await start(t, echo);
  const stream = await session(rig, '2024-11-05', '/one/mcp/sse?a=%26&sessionId=mine');
  await stream.post(call('1'));
  await stream.message(1);
  t.equal(rig.calls[0]?.target, '/mcp?a=%26&sessionId=mine');
});

t.test('a stream serves only its owner, at its upstream', async (t) => {
  const rig = await start(t, echo);
  const stream = await session(rig, '2024-11-05', undefined, { authorization: 'Bearer mine' });
  const unknown = { status: 404, id: 7, message: /^No such session/ };
  for (const [why, path, headers] of [
    ['no credential', stream.endpoint, {}],
    ['another credential', stream.endpoint, { authorization: 'Bearer other' }],
    ['another upstream', stream.endpoint.replace('/one/', '/two/'), { authorization: 'Bearer mine' }],
    ['another id', `${stream.endpoint}x`, { authorization: 'Bearer mine' }],
    ['no id', '/one/mcp/messages', { authorization: 'Bearer mine' }],
  ] as const)
    t.match(saidOf(await post(rig, path, ping('7'), headers)), unknown, why);
  t.equal((await stream.post(ping('7'))).status, 202, 'and serves who opened it');
});

t.test('what is refused, and says so at once', async (t) => {
  const rig = await start(t, echo);
  const stream = await connect(rig);
  const first = { status: 400, id: 7, message: /initialize comes first/ };
  t.match(saidOf(await stream.post(ping('7'))), first);
  t.match(saidOf(await stream.post('{"jsonrpc":"2.0","method":"notifications/initialized"}')), { status: 400 });
  t.equal((await stream.post(initialize())).status, 202, 'a refused opener fixes nothing');
  await stream.message(0);
  for (const [body, headers, status] of [
    ['{', {}, 400],
    ['{"jsonrpc":"2.0","id":null,"method":"ping"}', {}, 400],
    [ping('1'), { 'content-type': 'text/plain' }, 415],
    [ping('1'), { origin: 'https://evil.example' }, 403],
  ] as const)
    t.equal((await stream.post(body, headers)).status, status, body);
  const verb = await fetchRaw(rig.url(stream.endpoint), undefined, { method: 'GET' });
  t.match({ status: verb.status, allow: verb.all('allow') }, { status: 405, allow: ['POST, OPTIONS'] });
  const opener = await post(rig, '/one/mcp/sse', initialize());
  t.match({ status: opener.status, allow: opener.all('allow') }, { status: 405, allow: ['GET, OPTIONS'] });
  const json = await fetchRaw(rig.url('/one/mcp/sse'), undefined, { method: 'GET', headers: { accept: 'text/html' } });
  t.equal(json.status, 406);
  t.equal(stream.events.length, 2, 'nothing of this came on the stream');
});

t.test('an upstream that the configuration puts at one of these URLs keeps it', async (t) => {
  const rig = await start(t, echo, { second: '/one/mcp/sse' });
  const opened = await post(rig, '/one/mcp/sse', initialize());
  t.match({ status: opened.status, session: opened.all('mcp-session-id').length }, { status: 200, session: 1 });
  t.equal((await session(rig, '2024-11-05', '/one/mcp/sse/sse')).endpoint.split('?')[0], '/one/mcp/sse/messages');
});

t.test('a page may open a stream and post, if its origin is allowed', async (t) => {
  const rig = await start(t, echo);
  const headers = { origin: 'http://localhost:3000' };
  const stream = await session(rig, '2024-11-05', undefined, headers);
  for (const got of [headOf(stream.incoming), await stream.post(ping('1'))])
    t.same(got.all('access-control-allow-origin'), ['http://localhost:3000']);
  const preflight = await fetchRaw(rig.url(stream.endpoint), undefined, { method: 'OPTIONS', headers });
  t.equal(preflight.status, 204);
});

t.test('one handshake per stream, also when two are tried at once', async (t) => {
  const rig = await start(t, echo);
  const stream = await connect(rig);
  const both = await Promise.all([stream.post(initialize()), stream.post(initialize())]);
  t.same(both.map(({ status }) => status).sort(), [202, 400]);
  await stream.message(0);
  t.equal((await stream.post(initialize())).status, 202);
  t.match(await stream.message(1), /has been initialized already/);
});

t.test('an error of the call comes on the stream, with its id', async (t) => {
  const rig = await start(t, answer({ status: 401, headers: ['WWW-Authenticate', 'Bearer'] }));
  const stream = await session(rig);
  t.equal((await stream.post(call('"x"'))).status, 202);
  t.match(JSON.parse(await stream.message(1)), { id: 'x', error: { message: /wants other credentials/ } });
});

t.test('cancelling a call; a call outlives the connection of its POST', async (t) => {
  const rig = await start(t, hang());
  const stream = await session(rig);
  await stream.post(call('1')); // its connection closes with the 202
  const { gone } = await eventually(() => rig.calls[0]);
  t.equal(await Promise.race([gone, sleep(300, 'goes on')]), 'goes on');
  await stream.post('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}');
  t.not(await Promise.race([gone, sleep(3_000, 'goes on')]), 'goes on');
  t.equal(stream.events.length, 2, 'and is not answered');
});

t.test('closing the stream ends the session and what is under way in it', async (t) => {
  const rig = await start(t, hang(), { limits: { sessions: 1 } });
  const stream = await session(rig);
  await stream.post(call('1'));
  const { gone } = await eventually(() => rig.calls[0]);
  const full = await fetchRaw(rig.url('/two/mcp/sse'), undefined, { method: 'GET' });
  t.match(saidOf(full), { status: 503, message: /as many sessions as limits.sessions allows/ });
  stream.incoming.destroy();
  t.not(await Promise.race([gone, sleep(3_000, 'goes on')]), 'goes on');
  t.equal((await stream.post(ping('2'))).status, 404);
  await session(rig);
  t.pass('there is room again');
});

t.test('streams count before they have a session, and do not wait for one for ever', async (t) => {
  const rig = await start(t, echo, { limits: { sessions: 1, sessionIdle: 300 } });
  const stream = await connect(rig);
  const full = await fetchRaw(rig.url('/one/mcp/sse'), undefined, { method: 'GET' });
  t.equal(full.status, 503);
  await eventually(() => stream.incoming.complete);
  const kept = await session(rig);
  await sleep(700);
  t.equal((await kept.post(ping('1'))).status, 202, 'a session whose client is there is not idle');
});

t.test('a client that posts and does not read is let go', { timeout: 60_000 }, async (t) => {
  const text = 'x'.repeat(8 * 2 ** 20);
  const rig = await start(t, (seen, socket) => {
    const { id } = JSON.parse(seen.body.toString()) as { id: unknown };
    return answer({ body: `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"text":"${text}"}}` })(seen, socket);
  });
  const stream = await session(rig);
  stream.incoming.pause();
  let status = 202;
  for (let id = 1; id < 20 && status === 202; id++) {
    ({ status } = await stream.post(call(String(id))));
    await sleep(100);
  }
  t.equal(status, 404);
});

t.test('shutdown waits for what is owed on a stream, and for nothing else', async (t) => {
  const rig = await start(
    t,
    async (seen, socket) => {
      await sleep(500);
      await echo(seen, socket);
    },
    { shutdownGrace: 5_000 },
  );
  const busy = await session(rig);
  const quiet = await session(rig);
  await busy.post(call('1'));
  await eventually(() => rig.calls[0]);
  const began = performance.now();
  await rig.close();
  t.ok(performance.now() - began < 4_000);
  t.match(await busy.message(1), '"id":1');
  t.equal(quiet.events.length, 2);
});
