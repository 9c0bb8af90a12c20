/** An upstream that is replaced by a server of the other era, on the same port, while clients go on. */
import t from 'tap';
import type { Test } from 'tap';
import { startDemoUpstream } from '../../../src/demo/index.js';
import { openGateway } from '../../rig/gateway.js';

const accept = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

interface Answer {
  readonly status: number;
  readonly session: string | null;
  readonly text: string;
}

async function post(url: string, body: object, headers: Record<string, string> = {}): Promise<Answer> {
  const response = await fetch(url, { method: 'POST', headers: { ...accept, ...headers }, body: JSON.stringify(body) });
  return { status: response.status, session: response.headers.get('mcp-session-id'), text: await response.text() };
}

const clientInfo = { name: 'test', version: '1' };

function initialize(url: string): Promise<Answer> {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
  return post(url, { jsonrpc: '2.0', id: 1, method: 'initialize', params });
}

function list(url: string, session: string): Promise<Answer> {
  return post(url, { jsonrpc: '2.0', id: 2, method: 'tools/list' }, { 'mcp-session-id': session });
}

function modernList(url: string): Promise<Answer> {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': clientInfo,
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' };
  return post(url, { jsonrpc: '2.0', id: 3, method: 'tools/list', params: { _meta } }, headers);
}

/** A gateway in front of a demo server of one era, and a way to put one of the other era in its place. */
async function replaceable(t: Test, first: 'legacy' | 'modern') {
  let upstream = await startDemoUpstream(first, { host: '127.0.0.1', port: 0 });
  const { port } = new URL(upstream.url);
  const gateway = await openGateway({ demo: { url: upstream.url } });
  t.teardown(async () => {
    await gateway.close();
    await upstream.close();
  });
  const replace = async (kind: 'legacy' | 'modern'): Promise<void> => {
    await upstream.close();
    upstream = await startDemoUpstream(kind, { host: '127.0.0.1', port: Number(port) });
  };
  return { url: gateway.url('demo'), replace };
}

/** The first request after the change may be the one that finds out. */
async function soon(ask: () => Promise<Answer>, wanted: (answer: Answer) => boolean): Promise<Answer> {
  const first = await ask();
  return wanted(first) ? first : ask();
}

t.test(
  'legacy becomes modern: both eras are served at the second try, old sessions are told to begin again',
  async (t) => {
    const { url, replace } = await replaceable(t, 'legacy');
    const { session } = await initialize(url);
    t.equal((await list(url, session ?? '')).status, 200);
    await replace('modern');
    const opened = await soon(
      () => initialize(url),
      ({ status }) => status === 200,
    );
    t.match(opened, { status: 200, session: /./, text: /"protocolVersion":"2025-11-25"/ });
    t.match(await list(url, opened.session ?? ''), { status: 200, text: /convert_units/ });
    t.match(await modernList(url), { status: 200, text: /convert_units/ });
    t.equal((await list(url, session ?? '')).status, 404, 'the session of the server that is gone');
  },
);

t.test(
  'modern becomes legacy: initialize is served at once, translated sessions are told to begin again',
  async (t) => {
    const { url, replace } = await replaceable(t, 'modern');
    const { session } = await initialize(url);
    t.equal((await list(url, session ?? '')).status, 200);
    await replace('legacy');
    const opened = await initialize(url);
    t.match(opened, { status: 200, session: /./ });
    t.match(await list(url, opened.session ?? ''), { status: 200, text: /convert_units/ });
    t.equal((await list(url, session ?? '')).status, 404, 'the session on the server that is gone');
    t.match(await modernList(url), { status: 400, text: /-32022/ });
  },
);

t.test('modern becomes legacy: a translated session and a modern client find out by themselves', async (t) => {
  const { url, replace } = await replaceable(t, 'modern');
  const { session } = await initialize(url);
  await replace('legacy');
  const told = await soon(
    () => list(url, session ?? ''),
    ({ status }) => status === 404,
  );
  t.equal(told.status, 404);
  const refused = await soon(
    () => modernList(url),
    ({ text }) => text.includes('-32022'),
  );
  t.match(refused, { status: 400, text: /-32022/ });
});
