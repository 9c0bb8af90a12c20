/** Tool calls: what comes back, what comes before it, and how a call is stopped. */
import { patience } from '../stage.js';
import type { Feature } from '../bench.js';

const firstText = (result: Record<string, unknown>): string => (result['content'] as { text: string }[])[0]?.text ?? '';

const schemaKeywords = [
  '$defs',
  '$schema',
  'additionalProperties',
  'allOf',
  'else',
  'if',
  'properties',
  'then',
  'type',
];

export const calls: readonly Feature[] = [
  {
    name: 'lists tools in the upstream’s order, with what was said of them',
    run: async (t, { connect }) => {
      const tools = await (await connect()).list('tools');
      const names = tools.map(({ name }) => name);
      t.same(names.slice(0, 3), ['test_simple_text', 'test_image_content', 'test_audio_content']);
      t.equal(names.at(-1), 'matrix_touch');
      t.match(
        tools.find(({ name }) => name === 'matrix_sum'),
        {
          title: 'Sum',
          annotations: { readOnlyHint: true, idempotentHint: true },
          outputSchema: { required: ['sum'] },
        },
      );
      const schema = tools.find(({ name }) => name === 'json_schema_2020_12_tool')?.['inputSchema'] as object;
      // The SDK's parser moves the keys about; the conformance suite compares the bytes' own order.
      t.same(Object.keys(schema).sort(), schemaKeywords);
    },
  },
  {
    name: 'carries structured content and resource links',
    run: async (t, { connect, can, pair }) => {
      if (pair.upstream === 'legacy' && !can('resource-links')) return; // that is between the client and its server
      const client = await connect();
      await client.list('tools'); // now the client checks results against the output schema
      const result = await client.call('matrix_sum', { numbers: [0.1, 2, -40] });
      t.same(result['structuredContent'], { sum: -37.9 });
      const link = can('resource-links') ? { type: 'resource_link', uri: 'test://static-text' } : { type: 'text' };
      t.match(result['content'], [{ text: '{"sum":-37.9}' }, link]);
    },
  },
  {
    name: 'carries every kind of content',
    run: async (t, { connect, can, pair }) => {
      const client = await connect();
      const { content } = await client.call('test_multiple_content_types');
      t.match(content, [
        { type: 'text' },
        { type: 'image', mimeType: 'image/png', data: /^iVBOR/ },
        { type: 'resource', resource: { uri: 'test://embedded-resource' } },
      ]);
      if (pair.upstream === 'legacy' && !can('audio')) return; // that is between the client and its server
      const audio = can('audio') ? { type: 'audio', mimeType: 'audio/wav' } : { type: 'text' };
      t.match(await client.call('test_audio_content'), { content: [audio] });
    },
  },
  {
    name: 'carries arguments untouched, of any size',
    run: async (t, { connect }) => {
      const client = await connect();
      const args = {
        empty: '',
        text: 'line\nline\u0000\u2028 🙂 "\\',
        numbers: [0, -1, 1e-7, 1.5, 9007199254740991],
        nothing: null,
        nested: { resultType: 'complete', ttlMs: 1, _meta: { cursor: 'x' } },
        big: 'x'.repeat(1_000_000),
      };
      const heard = JSON.parse(firstText(await client.call('matrix_witness', args))) as { args: unknown };
      t.same(heard.args, args);
    },
  },
  {
    name: 'lets the upstream know who calls, and what the caller adds of its own',
    run: async (t, { connect, pair, header }) => {
      const client = await connect({ name: 'somebody' });
      const meta = {
        'com.example/trace': { deep: [1, 2] },
        traceparent: '00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01',
      };
      const heard = JSON.parse(firstText(await client.call('matrix_witness', {}, { meta }))) as Record<string, unknown>;
      t.match(heard['client'], { name: 'somebody', version: '1.2.3' });
      t.match(heard['meta'], meta);
      const headers = heard['headers'] as Record<string, string>;
      t.equal(headers['mcp-protocol-version'], pair.upstream === 'modern' ? '2026-07-28' : header);
      t.equal(headers['mcp-name'], pair.upstream === 'modern' ? 'matrix_witness' : undefined);
    },
  },
  {
    name: 'gives the client’s credentials to the upstream, and nothing of the hop between',
    needs: ['headers'],
    run: async (t, { connect }) => {
      const client = await connect({ headers: { authorization: 'Bearer mine', 'x-tenant': 'blue' } });
      const { headers } = JSON.parse(firstText(await client.call('matrix_witness'))) as {
        headers: Record<string, string>;
      };
      t.match(headers, { authorization: 'Bearer mine', 'content-type': 'application/json' });
      t.match(headers['accept'], /application\/json/);
      t.match(headers['accept'], /text\/event-stream/);
    },
  },
  {
    name: 'tells a failed tool from a failed call',
    run: async (t, { connect }) => {
      const client = await connect();
      t.match(await client.call('test_error_handling'), { isError: true, content: [{ text: /fails on purpose/ }] });
      await t.rejects(client.call('no_such_tool'), { code: -32602 });
    },
  },
  {
    name: 'passes progress on while the call goes on',
    run: async (t, { connect, stage }) => {
      const client = await connect();
      const key = `progress ${client.era}`;
      let onprogress = (_: Record<string, unknown>): void => undefined;
      const first = new Promise<Record<string, unknown>>((resolve) => (onprogress = resolve));
      const call = client.call('matrix_hold', { key }, { onprogress });
      // Nothing lets the call go before its progress is here: a gateway that kept it back would wait for ever.
      t.match(await first, { progress: 1, total: 2, message: 'holding' });
      stage.release(key);
      t.match(await call, { content: [{ text: `let go: ${key}` }] });

      const all: unknown[] = [];
      await client.call('test_tool_with_progress', {}, { onprogress: (step) => all.push(step['progress']) });
      t.same(all, [0, 50, 100], 'all of it, in order');
    },
  },
  {
    name: 'passes log messages on, from the level that was asked for',
    run: async (t, { connect }) => {
      const client = await connect();
      await client.logLevel('info');
      await client.call('test_tool_with_logging');
      t.same(client.logs, [
        'info: Tool execution started',
        'info: Tool execution working',
        'info: Tool execution done',
      ]);
      await client.logLevel('error');
      await client.call('test_tool_with_logging');
      t.equal(client.logs.length, 3);
    },
  },
  {
    name: 'stops the upstream’s work when the client cancels',
    run: async (t, { connect, stage, pair }) => {
      const client = await connect();
      const key = `cancel ${pair.name}`;
      const cancel = new AbortController();
      const started = stage.seen('started', key);
      const aborted = stage.seen('aborted', key);
      const call = client.call('matrix_hold', { key }, { signal: cancel.signal, onprogress: () => undefined });
      const failed = t.rejects(call);
      await started;
      const at = performance.now();
      cancel.abort('enough');
      await aborted;
      t.ok(performance.now() - at < patience / 2, 'soon');
      await failed;
      t.match(await client.call('test_simple_text'), { content: [{ type: 'text' }] }, 'and the client goes on');
    },
  },
  {
    name: 'keeps calls apart that carry the same ids',
    run: async (t, { connect }) => {
      // SDK clients count from the same number: these calls have equal ids, at the same time.
      const clients = await Promise.all(['a', 'b', 'c'].map((name) => connect({ name })));
      const calls = clients.flatMap((client, who) =>
        Array.from({ length: 10 }, async (_, n) => {
          const { args } = JSON.parse(firstText(await client.call('matrix_witness', { who, n }))) as { args: unknown };
          return { wanted: { who, n }, args };
        }),
      );
      for (const { wanted, args } of await Promise.all(calls)) t.same(args, wanted);
    },
  },
];
