/** What a modern server may say of its tools and a legacy client cannot know. */
import type { Feature } from '../bench.js';

export const tools: readonly Feature[] = [
  {
    name: 'mirrors arguments into headers, for a tool that was listed and for one that was not',
    needs: ['headers'],
    pairs: ['modern → modern', 'legacy → modern'],
    run: async (t, { connect }) => {
      for (const listed of [true, false]) {
        const client = await connect({ headers: { authorization: `Bearer ${listed ? 'lists' : 'does not'}` } });
        // The modern client itself needs the list; towards the server, both have to send the header.
        if (listed || client.era === 'modern') await client.list('tools');
        for (const region of ['us-west1', ' Zürich '])
          t.match(await client.call('matrix_region', { region }), {
            content: [{ text: JSON.stringify({ region, header: heard(region) }) }],
          });
        t.match(await client.call('matrix_region', {}), { content: [{ text: '{}' }] });
      }
    },
  },
  {
    name: 'does not show a tool with an annotation that is not valid',
    pairs: ['modern → modern', 'legacy → modern'],
    run: async (t, { connect }) => {
      const names = (await (await connect()).list('tools')).map(({ name }) => name);
      t.notOk(names.includes('matrix_region_broken'));
      t.ok(names.includes('matrix_region'));
    },
  },
  {
    name: 'carries output that is no object, as the list says',
    pairs: ['modern → modern', 'legacy → modern'],
    run: async (t, { connect }) => {
      const client = await connect();
      const wrapped = client.era === 'legacy';
      const listed = await client.list('tools'); // now the client checks results against the output schema
      const { outputSchema } = listed.find(({ name }) => name === 'matrix_squares') ?? {};
      t.match(
        outputSchema,
        wrapped ? { type: 'object', properties: { result: { type: 'array' } } } : { type: 'array' },
      );
      const { structuredContent, content } = await client.call('matrix_squares', { numbers: [1, 2, 3] });
      t.same(structuredContent, wrapped ? { result: [1, 4, 9] } : [1, 4, 9]);
      t.match(content, [{ type: 'text', text: '[1,4,9]' }]);
    },
  },
];

/** How a header says it (2026-07-28, streamable-http "Value Encoding"). */
function heard(region: string): unknown {
  return region.startsWith(' ') ? `=?base64?${Buffer.from(region).toString('base64')}?=` : region;
}
