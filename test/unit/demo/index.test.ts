import t from 'tap';
import { Client, type Progress, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { startDemoUpstream } from '../../../src/demo/index.js';
import type { Era } from '../../../src/wire/meta-keys.js';

const anyPort = { host: '127.0.0.1', port: 0 };
const eras: readonly Era[] = ['modern', 'legacy'];

async function connect(url: string, era: Era): Promise<Client> {
  const mode = era === 'modern' ? { pin: '2026-07-28' } : 'legacy';
  const client = new Client(
    { name: 'demo-test', version: '1.0.0' },
    { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode } },
  );
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  return client;
}

function post(url: string, body: object, headers: Record<string, string> = {}): Promise<Response> {
  const accept = 'application/json, text/event-stream';
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept, ...headers },
    body: JSON.stringify(body),
  });
}

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
};

for (const era of eras) {
  t.test(`${era} demo upstream`, async (t) => {
    const upstream = await startDemoUpstream(era, anyPort);
    t.teardown(() => upstream.close());
    const client = await connect(upstream.url, era);
    t.teardown(() => client.close());
    const call = async (name: string, args: Record<string, unknown>) => client.callTool({ name, arguments: args });

    t.test('names itself and lists what it has', async (t) => {
      t.equal(client.getServerVersion()?.name, `demo-${era}`);
      const { tools } = await client.listTools();
      t.same(
        tools.map(({ name }) => name),
        ['echo', 'convert_units', 'text_stats', 'countdown', 'plan_trip'],
      );
      t.same(
        (await client.listResources()).resources.map(({ uri }) => uri),
        ['demo://about'],
      );
      t.same(
        (await client.listPrompts()).prompts.map(({ name }) => name),
        ['explain_unit'],
      );
    });

    t.test('computes', async (t) => {
      t.match(await call('echo', { text: 'hello' }), { content: [{ type: 'text', text: 'hello' }] });
      t.match(await call('convert_units', { value: 26.2, from: 'mi', to: 'km' }), {
        structuredContent: { value: 42.1648128, unit: 'km' },
      });
      t.match(await call('convert_units', { value: 1, from: 'mi', to: 'kg' }), {
        isError: true,
        content: [{ text: /mi measures length/ }],
      });
      t.match(await call('text_stats', { text: 'one two\nthree 🙂' }), {
        structuredContent: { characters: 15, words: 4, lines: 2, readingSeconds: 1 },
      });
    });

    t.test('reports progress, and stops when it is cancelled', async (t) => {
      const steps: unknown[] = [];
      const args = { from: 3, stepMs: 10 };
      const onprogress = ({ progress, total, message }: Progress) => void steps.push([progress, total, message]);
      const result = await client.callTool({ name: 'countdown', arguments: args }, { onprogress });
      t.match(result.content, [{ text: 'lift-off' }]);
      t.same(steps, [
        [1, 3, '2 to go'],
        [2, 3, '1 to go'],
        [3, 3, 'lift-off'],
      ]);

      const started = performance.now();
      const signal = AbortSignal.timeout(50);
      const slow = client.callTool({ name: 'countdown', arguments: { from: 60, stepMs: 1_000 } }, { signal });
      await t.rejects(slow);
      t.ok(performance.now() - started < 5_000, 'long before the minute is over');
    });

    t.test('asks for input', async (t) => {
      client.setRequestHandler('elicitation/create', async ({ params }) => {
        t.match(params, { message: 'How should the trip to Rome be?' });
        return { action: 'accept' as const, content: { days: 2, pace: 'busy' } };
      });
      t.match(await call('plan_trip', { city: 'Rome' }), {
        content: [{ text: /^Rome, 2 days, busy:\nDay 1: the old town, a museum, the market\nDay 2: / }],
      });
      client.setRequestHandler('elicitation/create', async () => ({ action: 'decline' as const }));
      t.match(await call('plan_trip', { city: 'Rome' }), { content: [{ text: 'No trip to Rome then.' }] });
    });

    t.test('has something to read', async (t) => {
      const about = await client.readResource({ uri: 'demo://about' });
      t.match(about.contents, [{ text: new RegExp(`only the ${era} era`) }]);
      const mass = await client.readResource({ uri: 'demo://units/mass' });
      t.match(mass.contents, [{ text: '["g","kg","oz","lb"]' }]);
      const prompt = await client.getPrompt({ name: 'explain_unit', arguments: { unit: 'mi' } });
      t.match(prompt.messages, [{ content: { text: /the unit "mi"/ } }]);
      const ref = { type: 'ref/prompt' as const, name: 'explain_unit' };
      const { completion } = await client.complete({ ref, argument: { name: 'unit', value: 'm' } });
      t.same(completion.values, ['mm', 'm', 'mi', 'ml']);
    });

    t.test('lets no foreign page in', async (t) => {
      const evil = await post(upstream.url, initialize, { origin: 'http://evil.example.com' });
      t.equal(evil.status, 403);
      t.equal((await fetch(new URL('/elsewhere', upstream.url))).status, 404);
    });
  });

  t.test(`${era} demo upstream closes quickly with a call and a stream open, and twice`, async (t) => {
    const upstream = await startDemoUpstream(era, anyPort);
    const client = await connect(upstream.url, era);
    const call = client.callTool({ name: 'countdown', arguments: { from: 60, stepMs: 1_000 } });
    const failed = t.rejects(call);
    if (era === 'modern') await client.listen({ toolsListChanged: true });
    await new Promise((resolve) => setTimeout(resolve, 100));
    const started = performance.now();
    await Promise.all([upstream.close(), upstream.close()]);
    t.ok(performance.now() - started < 2_000);
    await client.close();
    await failed;
    await t.rejects(post(upstream.url, initialize), 'the port is free');
  });
}

t.test('the modern one refuses the handshake, and names what it speaks', async (t) => {
  const upstream = await startDemoUpstream('modern', anyPort);
  t.teardown(() => upstream.close());
  const response = await post(upstream.url, initialize);
  t.equal(response.status, 400);
  t.match(await response.json(), { id: 1, error: { code: -32022, data: { supported: ['2026-07-28'] } } });
  t.equal((await fetch(upstream.url, { headers: { accept: 'text/event-stream' } })).status, 405);
});

t.test('the legacy one knows sessions, and no server/discover', async (t) => {
  const upstream = await startDemoUpstream('legacy', anyPort);
  t.teardown(() => upstream.close());
  const envelope = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const discover = { jsonrpc: '2.0', id: 1, method: 'server/discover', params: { _meta: envelope } };
  const probed = await post(upstream.url, discover, {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'server/discover',
  });
  t.equal(probed.status, 400);
  const { error } = (await probed.json()) as { error: { code: number } };
  t.ok(error.code > -32020 || error.code < -32022, `${error.code} says nothing modern`);

  const opened = await post(upstream.url, initialize);
  const session = opened.headers.get('mcp-session-id') ?? '';
  t.match(session, /^[\x21-\x7e]+$/);
  t.match(await opened.text(), /"protocolVersion":"2025-11-25"/);
  const ping = { jsonrpc: '2.0', id: 2, method: 'ping' };
  const inSession = (id: string) => ({ 'mcp-session-id': id, 'mcp-protocol-version': '2025-11-25' });
  t.equal((await post(upstream.url, ping, inSession('nobody'))).status, 404);
  const pong = await post(upstream.url, ping, inSession(session));
  t.equal(pong.status, 200);
  const events = await pong.text();
  t.match(events, /"result":\{\}/);

  // The first event only opens the stream: asking for what followed it gives the answer again.
  const first = /^id: (.*)$/m.exec(events)?.[1] ?? '';
  const resume = { ...inSession(session), accept: 'text/event-stream', 'last-event-id': first };
  const resumed = await fetch(upstream.url, { headers: resume });
  t.equal(resumed.status, 200);
  const chunk = await resumed.body?.getReader().read();
  t.match(Buffer.from(chunk?.value ?? []).toString(), /"id":2,.*"result":\{\}|"result":\{\}.*"id":2/);

  t.equal((await fetch(upstream.url, { method: 'DELETE', headers: inSession(session) })).status, 200);
  t.equal((await post(upstream.url, ping, inSession(session))).status, 404, 'the session is over');
});

t.test('a port in use is the caller’s to know', async (t) => {
  const upstream = await startDemoUpstream('modern', anyPort);
  t.teardown(() => upstream.close());
  const port = Number(new URL(upstream.url).port);
  await t.rejects(startDemoUpstream('legacy', { host: '127.0.0.1', port }), { code: 'EADDRINUSE' });
});
