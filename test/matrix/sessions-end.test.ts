/**
 * Up to 10,000 sessions come and go, in each way in which a session can end, and the gateway's memory is where it was. The gateway is a
 * process of its own (the built one), so that what is measured is its memory and nobody else's.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { Pool } from 'undici';
import { stringify } from 'yaml';
import { answer, scripted } from '../upstreams/scripted.js';

const many = 10_000;
/** At once: as many connections. */
const hands = 32;
/** What a heap differs by from one time to the next, in bytes: the fewest sessions below, if they were kept, are more than twice that. */
const noise = 1.5 * 2 ** 20;

const initialize = JSON.stringify({
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: {
    protocolVersion: '2025-06-18',
    capabilities: { roots: {} },
    clientInfo: { name: 'x'.repeat(500), version: '1' },
  },
});

/** A gateway in front of a modern server that has nothing. */
async function start(t: Test, limits: object) {
  const discovered = {
    resultType: 'complete',
    supportedVersions: ['2026-07-28'],
    capabilities: {},
    ttlMs: 1e9,
    cacheScope: 'public',
  };
  const upstream = await scripted((seen, socket) => {
    const { id } = JSON.parse(seen.body.toString()) as { id: unknown };
    return answer({ body: JSON.stringify({ jsonrpc: '2.0', id, result: discovered }) })(seen, socket);
  });
  const folder = t.testdir({
    'config.yaml': stringify({
      listen: { port: 0 },
      admin: { port: 0 },
      upstreams: { empty: { url: upstream.url.href } },
      limits,
      log: { level: 'silent' },
    }),
  });
  const process = fork(
    fileURLToPath(new URL('../rig/gateway-process.mjs', import.meta.url)),
    [`${folder}/config.yaml`],
    {
      execArgv: ['--expose-gc'],
      env: {},
    },
  );
  const [addresses] = (await once(process, 'message')) as [{ gateway: string; admin: string }];
  const pool = new Pool(addresses.gateway, { connections: hands });
  t.teardown(async () => {
    await pool.close();
    process.disconnect();
    await upstream.close();
  });
  return { addresses, pool, memory: () => memoryOf(process), open: () => gauge(addresses.admin) };
}

type Rig = Awaited<ReturnType<typeof start>>;

async function memoryOf(process: ChildProcess): Promise<number> {
  process.send('how much?');
  const [bytes] = (await once(process, 'message')) as [number];
  return bytes;
}

/** What the metrics say of open sessions. */
async function gauge(admin: string): Promise<number> {
  const text = await (await fetch(`${admin}/metrics`)).text();
  return Number(/^mcp_resilience_sessions_open\{.*kind="translated".*\} (\d+)$/m.exec(text)?.[1]);
}

/** Does `work` `times` times, a few at once. */
async function repeat(times: number, work: () => Promise<void>): Promise<void> {
  let left = times;
  const hand = async (): Promise<void> => {
    while (left-- > 0) await work();
  };
  await Promise.all(Array.from({ length: hands }, hand));
}

async function openSession({ pool }: Rig): Promise<string> {
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const response = await pool.request({ path: '/mcp', method: 'POST', headers, body: initialize });
  await response.body.dump();
  const id = response.headers['mcp-session-id'];
  if (typeof id !== 'string') throw new Error(`no session: ${response.statusCode}`);
  return id;
}

async function endSession({ pool }: Rig, id: string): Promise<void> {
  const response = await pool.request({ path: '/mcp', method: 'DELETE', headers: { 'mcp-session-id': id } });
  await response.body.dump();
}

/** A whole life over HTTP+SSE, ended by the client's departure. */
async function lifeOverSse({ addresses }: Rig): Promise<void> {
  const [stream] = (await once(get(`${addresses.gateway}/mcp/sse`, { agent: false }), 'response')) as [IncomingMessage];
  const [endpoint] = (await once(stream.setEncoding('utf8'), 'data')) as [string];
  const path = /^data: (.*)$/m.exec(endpoint)?.[1] ?? '';
  const headers = { 'content-type': 'application/json' };
  const told = once(stream, 'data');
  await (await fetch(addresses.gateway + path, { method: 'POST', headers, body: initialize })).arrayBuffer();
  await told;
  stream.destroy();
}

async function allEnded(rig: Rig): Promise<number> {
  const deadline = performance.now() + 20_000;
  for (;;) {
    const open = await rig.open();
    if (open === 0 || performance.now() > deadline) return open;
    await sleep(100);
  }
}

const ways: Readonly<Record<string, { limits: object; times: number; life: (rig: Rig) => Promise<void> }>> = {
  'ended by DELETE': { limits: {}, times: many, life: async (rig) => endSession(rig, await openSession(rig)) },
  'left alone': { limits: { sessionIdle: '2s' }, times: many / 4, life: async (rig) => void (await openSession(rig)) },
  'grown old': { limits: { sessionAge: '2s' }, times: many / 4, life: async (rig) => void (await openSession(rig)) },
  'over HTTP+SSE': { limits: {}, times: many / 10, life: lifeOverSse },
};

for (const [name, { limits, times, life }] of Object.entries(ways)) {
  t.test(`${times} sessions, ${name}`, { timeout: 100_000 }, async (t) => {
    const rig = await start(t, limits);
    await repeat(times / 5, () => life(rig)); // whatever is made once is made now
    t.equal(await allEnded(rig), 0);
    const before = await rig.memory();
    await repeat(times, () => life(rig));
    t.equal(await allEnded(rig), 0, 'none is open');
    const grown = (await rig.memory()) - before;
    t.comment(`${Math.round(grown / 1024)} KiB more`);
    t.ok(grown < noise, `the heap has grown by ${grown} bytes`);
  });
}

t.test('as many as there may be, and no more', { timeout: 60_000 }, async (t) => {
  const rig = await start(t, { sessions: 50 });
  const ids = await Promise.all(Array.from({ length: 50 }, () => openSession(rig)));
  t.equal(await rig.open(), 50);
  const refused = await fetch(`${rig.addresses.gateway}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: initialize,
  });
  t.match([refused.status, refused.headers.get('retry-after')], [503, '10']);
  t.match(await refused.json(), { id: 0, error: { message: /as many sessions as limits.sessions allows/ } });
  await endSession(rig, ids[0] ?? '');
  await openSession(rig);
  t.equal(await rig.open(), 50);
});
