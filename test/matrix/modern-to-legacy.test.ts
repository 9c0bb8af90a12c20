/**
 * The pair that is not served yet: a modern client is told so clearly, and one that can speak both eras gets through by the
 * legacy handshake.
 */
import t from 'tap';
import { openGateway } from '../rig/gateway.js';
import { startConformanceUpstream } from '../upstreams/conformance.js';
import { connectModern } from './clients.js';

t.test('modern → legacy', async (t) => {
  const upstream = await startConformanceUpstream('legacy');
  t.teardown(() => upstream.close());
  const gateway = await openGateway({ old: { url: upstream.url } });
  t.teardown(() => gateway.close());
  const url = gateway.url('old');

  await t.test('a client pinned to 2026-07-28 is refused', async (t) => {
    await t.rejects(connectModern(url, {}, { pin: '2026-07-28' }), { code: -32022, message: /legacy revisions only/ });
  });

  await t.test('the refusal names the request, the reason and what is spoken', async (t) => {
    const envelope = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const params = { name: 'test_simple_text', _meta: envelope };
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': 'test_simple_text',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 'mine', method: 'tools/call', params }),
    });
    t.equal(response.status, 400);
    const answer = (await response.json()) as { error: { data: { supported: string[] } } };
    t.match(answer, {
      jsonrpc: '2.0',
      id: 'mine',
      error: { code: -32022, message: /legacy revisions only/, data: { requested: '2026-07-28' } },
    });
    const { supported } = answer.error.data;
    t.ok(supported.includes('2025-11-25') && !supported.includes('2026-07-28'));
  });

  await t.test('a client that may speak either era falls back to the handshake, and works', async (t) => {
    const client = await connectModern(url, { elicit: () => ({ action: 'accept', content: { name: 'Ada' } }) }, 'auto');
    t.teardown(() => client.close());
    t.equal(client.sdk.getProtocolEra(), 'legacy');
    t.equal(client.server().name, 'conformance-legacy');
    t.match(await client.call('test_simple_text'), { content: [{ type: 'text' }] });
    t.match(await client.call('test_input_required_result_elicitation'), { content: [{ text: 'Hello, Ada!' }] });
  });
});
