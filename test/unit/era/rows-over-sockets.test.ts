/**
 * The rows of the detector once more, through the whole gateway and over real sockets. What the head alone tells is
 * forwarded unread where both sides are of that era, so each row is played where the gateway has to judge it.
 */
import { Agent } from 'node:http';
import t, { type Test } from 'tap';
import { configFromFlags } from '../../../src/config/load.js';
import type { EraSetting } from '../../../src/config/types.js';
import { startGateway } from '../../../src/main.js';
import { legacyRevisions } from '../../../src/wire/meta-keys.js';
import { eraRows, type EraRow, type RefusedOutcome } from '../../rig/era-rows.js';
import { answer, scripted, type Script, type Scripted } from '../../upstreams/scripted.js';
import { fetchRaw, headOf, open, type Got } from '../passthrough/gateway.js';

interface Stage {
  readonly url: URL;
  readonly upstream: Scripted;
  /** The id of a new session of this client. */
  session(revision: string): Promise<string>;
}

const acceptable = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

/** Answers every request: what it says of itself fits `server/discover` and `initialize` alike. */
const upstreamScript: Script = (request, socket) => {
  const { id } = JSON.parse(request.body.toString().replace(/^\ufeff/, '')) as { id?: unknown };
  const result = {
    resultType: 'complete',
    supportedVersions: ['2026-07-28'],
    protocolVersion: '2025-11-25',
    capabilities: { tools: {} },
    serverInfo: { name: 'scripted', version: '1' },
    tools: [],
  };
  const headers = ['Content-Type', 'application/json', 'Mcp-Session-Id', `s${Math.random()}`];
  return answer({ headers, body: JSON.stringify({ jsonrpc: '2.0', id, result }) })(request, socket);
};

/** The gateway in front of an upstream of that era. */
async function stage(t: Test, era: EraSetting): Promise<Stage> {
  const upstream = await scripted(upstreamScript);
  const flags = configFromFlags({ listen: '127.0.0.1:0', upstreams: [`u=${upstream.url.href}`] });
  const upstreams = new Map([...flags.upstreams].map(([name, one]) => [name, { ...one, era }]));
  const quiet = { admin: undefined, log: { level: 'silent', format: 'json' }, shutdownGrace: 0 } as const;
  const gateway = await startGateway({ ...flags, ...quiet, upstreams });
  t.teardown(async () => {
    await gateway.close();
    await upstream.close();
  });
  const url = new URL('/u/mcp', gateway.addresses.gateway);
  return {
    url,
    upstream,
    async session(protocolVersion) {
      const params = { protocolVersion, capabilities: {}, clientInfo: { name: 'c', version: '1' } };
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
      const [id] = (await fetchRaw(url, body, { headers: acceptable })).all('mcp-session-id');
      if (id === undefined) throw new Error('no session was opened');
      return id;
    },
  };
}

/** Plays a row; how many requests it cost the upstream. */
async function play(stage: Stage, row: EraRow): Promise<Got & { readonly asked: number }> {
  const { session } = row;
  const id = session === 'none' ? undefined : session === 'unknown' ? 'nobody' : await stage.session(session.live);
  const before = stage.upstream.requests.length;
  const headers = {
    accept: acceptable.accept,
    ...row.headers,
    ...(id === undefined ? {} : { 'mcp-session-id': id }),
    ...(row.method === 'POST' ? { 'content-length': row.body.length } : {}),
  };
  const got = await exchange(stage.url, row, headers);
  return { ...got, asked: stage.upstream.requests.length - before };
}

/** The whole answer; of a stream that GET opens, its head. */
async function exchange(
  url: URL,
  { method, body, outcome }: EraRow,
  headers: Record<string, string | number>,
): Promise<Got> {
  if (outcome.kind === 'refused' || method !== 'GET') return fetchRaw(url, body, { method, headers });
  const incoming = await open(url, undefined, { method, headers });
  incoming.on('error', () => undefined).destroy();
  return { ...headOf(incoming), body: Buffer.alloc(0) };
}

function checkRefusal(t: Test, got: Got & { asked: number }, outcome: RefusedOutcome, method: string): void {
  t.equal(got.status, outcome.status);
  t.equal(got.asked, 0, 'the upstream was not asked');
  if (outcome.allow) t.same(got.all('allow'), [outcome.allow]);
  if (method === 'HEAD') return;
  t.same(got.all('content-type'), ['application/json']);
  t.equal(/^\{"jsonrpc":"2\.0",(?:"id":(.*?),)?"error":/.exec(got.body.toString())?.[1] ?? null, outcome.id);
  const { error } = JSON.parse(got.body.toString()) as { error: { code: number; message: string; data?: unknown } };
  t.equal(error.code, outcome.code);
  if (outcome.says) t.match(error.message, outcome.says);
  t.same(error.data, outcome.data);
}

/** GET without a session, of a server that has none to offer: the second half of row 2. */
const noStream: RefusedOutcome = {
  kind: 'refused',
  cell: 'get-not-offered',
  status: 405,
  code: -32600,
  id: null,
  allow: 'POST, DELETE, OPTIONS',
};

t.test('in front of a modern server, where messages of a session are translated', async (t) => {
  const here = await stage(t, 'modern');
  for (const row of eraRows.filter(({ head }) => head !== 'claims-modern')) {
    await t.test(`row ${row.row}: ${row.name}`, async (t) => {
      const got = await play(here, row);
      const { outcome } = row;
      switch (outcome.kind) {
        case 'refused': {
          const noSession = row.method === 'GET' && outcome.cell === 'session-id-missing';
          checkRefusal(t, got, noSession ? noStream : outcome, row.method);
          break;
        }
        case 'stray-notification':
          t.same([got.status, got.body.length, got.asked], [202, 0, 0]);
          break;
        case 'modern':
          t.ok(here.upstream.requests.at(-1)?.body.equals(row.body), 'the bytes that were judged');
          break;
        case 'legacy':
          checkLegacy(t, row, got);
          break;
      }
    });
  }
});

/** That a message was taken for one of its session; what is carried of it is for other tests. */
function checkLegacy(t: Test, { outcome, body }: EraRow, got: Got): void {
  if (outcome.kind !== 'legacy') throw new Error('it is not legacy');
  switch (outcome.operation) {
    case 'initialize':
      t.equal(got.status, 200);
      // One that asks for no revision is taken for what it is, and told what it lacks.
      if (!body.includes('"protocolVersion"')) return void t.match(got.body.toString(), /"code":-32602/);
      t.equal(got.all('mcp-session-id').length, 1);
      t.ok(legacyRevisions.some((revision) => got.body.includes(`"protocolVersion":"${revision}"`)));
      break;
    case 'message':
      t.equal(got.status, body.includes('"tools/list"') ? 200 : body.includes('"initialize"') ? 400 : 202);
      break;
    case 'batch':
    case 'get':
    case 'delete':
      t.notMatch(String(got.status), /404|415|5../);
      break;
  }
}

t.test('in front of a legacy server, where modern requests are read', async (t) => {
  const here = await stage(t, 'legacy');
  // What a session of the upstream's own is told is the upstream's business.
  for (const row of eraRows.filter(({ head }) => head !== 'legacy')) {
    await t.test(`row ${row.row}: ${row.name}`, async (t) => {
      const got = await play(here, row);
      const { outcome } = row;
      switch (outcome.kind) {
        case 'refused':
          checkRefusal(t, got, outcome, row.method);
          break;
        case 'stray-notification':
          t.same([got.status, got.body.length, got.asked], [202, 0, 0]);
          break;
        case 'modern':
          t.equal(got.asked, 0, 'a modern request never reaches a legacy server as it is');
          t.match(got.body.toString(), /"code":-32022,.*"supported":\["2025-11-25"/);
          break;
        case 'legacy':
          t.equal(got.status, 200);
          t.ok(here.upstream.requests.at(-1)?.body.equals(row.body), 'the bytes that were judged');
          break;
      }
    });
  }
});

t.test('a refused opener fixes nothing for its connection', async (t) => {
  const here = await stage(t, 'modern');
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  t.teardown(() => agent.destroy());
  const sockets = new Set<unknown>();
  const send = async (row: EraRow | undefined): Promise<number> => {
    if (row === undefined) throw new Error('there is no such row');
    const headers = { accept: acceptable.accept, ...row.headers };
    const incoming = await open(here.url, row.body, { agent, headers });
    sockets.add(incoming.socket);
    for await (const _ of incoming);
    return incoming.statusCode ?? 0;
  };
  const find = (row: number, name: string) => eraRows.find((one) => one.row === row && one.name === name);
  t.equal(await send(find(10, 'claim and header 2027-01-01')), 400);
  t.equal(await send(find(11, 'no header')), 400);
  t.equal(await send(find(8, 'no header')), 200, 'legacy');
  t.equal(await send(find(14, 'a request of nobody')), 400);
  t.equal(await send(find(9, 'a whole request')), 200, 'modern');
  t.equal(sockets.size, 1, 'all on one connection');
});
