/** Prompts, resources and completion. */
import type { Feature } from '../bench.js';

export const library: readonly Feature[] = [
  {
    name: 'lists and fills in prompts',
    run: async (t, { connect }) => {
      const client = await connect();
      const names = (await client.list('prompts')).map(({ name }) => name);
      t.ok(names.includes('test_prompt_with_arguments') && names.includes('test_simple_prompt'));
      t.match(await client.prompt('test_simple_prompt'), { messages: [{ content: { text: /simple prompt/ } }] });
      t.match(await client.prompt('test_prompt_with_arguments', { arg1: 'é "quoted"', arg2: '2' }), {
        messages: [{ content: { text: `arg1='é "quoted"', arg2='2'` } }],
      });
      t.match(await client.prompt('test_prompt_with_image'), { messages: [{ content: { type: 'image' } }, {}] });
      await t.rejects(client.prompt('no_such_prompt'), { code: -32602 });
    },
  },
  {
    name: 'completes an argument',
    run: async (t, { connect }) => {
      const client = await connect();
      t.same(await client.complete('test_prompt_with_arguments', 'arg1', 'par'), ['paris', 'park', 'party']);
      t.same(await client.complete('test_prompt_with_arguments', 'arg1', 'x'), []);
    },
  },
  {
    name: 'lists and reads resources, from templates too',
    run: async (t, { connect }) => {
      const client = await connect();
      t.match(await client.list('resources'), [
        { uri: 'test://static-text', mimeType: 'text/plain' },
        { uri: 'test://static-binary', mimeType: 'image/png' },
        { uri: 'test://watched-resource' },
      ]);
      t.match(await client.read('test://static-text'), { contents: [{ text: /static text resource/ }] });
      t.match(await client.read('test://static-binary'), { contents: [{ blob: /^iVBOR/ }] });
      const templated = 'test://template/a%20b%2Fc/data';
      t.match(await client.read(templated), { contents: [{ uri: templated, mimeType: 'application/json' }] });
    },
  },
  {
    name: 'says that a resource is missing in the words of the client’s era',
    run: async (t, { connect, pair }) => {
      const client = await connect();
      // −32002 until 2025-11-25, −32602 since (2026-07-28, resources, "Error Handling"). The legacy upstream is built on an
      // SDK that says −32602 in either era, and same-era traffic is not ours to mend.
      await t.rejects(client.read('test://missing'), { code: pair.name === 'legacy → modern' ? -32002 : -32602 });
    },
  },
  {
    name: 'follows cursors that look like anything',
    run: async (t, { connect }) => {
      const client = await connect();
      const templates = await client.list('resourceTemplates');
      t.same(
        templates.map(({ name }) => name),
        ['first', 'second "=+/é', 'third'],
      );
    },
  },
];
