/** How a server asks its client for input, in the middle of a call. */
import type { Feature } from '../bench.js';

const anything = () => ({ action: 'accept', content: { name: 'Ada', color: 'green', context: 'chess', ok: true } });

/** Requests in the middle of a call that wait for the client: each kind alone, and how the SDK's fixtures put it. */
const kinds: readonly (readonly [tool: string, text: RegExp])[] = [
  ['test_input_required_result_elicitation', /^Hello, Ada!$/],
  ['test_input_required_result_sampling', /The model said: .*Good morning/],
  ['test_input_required_result_list_roots', /Roots: .*file:\/\/\/home/],
  ['test_input_required_result_request_state', /^accept: /],
];

export const input: readonly Feature[] = [
  {
    name: 'asks the client for input, of each kind',
    needs: ['elicitation'],
    run: async (t, { connect }) => {
      const client = await connect({ elicit: anything, sample: 'Good morning', roots: ['file:///home'] });
      for (const [tool, text] of kinds) t.match(await client.call(tool), { content: [{ text }] }, tool);
      t.match(await client.prompt('test_input_required_result_prompt'), {
        messages: [{ content: { text: 'In the context of chess:' } }],
      });
      t.match(await client.read('test://asking'), { contents: [{ text: 'for Ada' }] });
    },
  },
  {
    name: 'asks for several things at once, and in several rounds',
    needs: ['elicitation'],
    run: async (t, { connect }) => {
      const asked: unknown[] = [];
      const elicit = (params: Record<string, unknown>) => {
        asked.push(params['message']);
        return anything();
      };
      const client = await connect({ elicit, sample: 'Good morning', roots: ['file:///home'] });
      t.match(await client.call('test_input_required_result_multiple_inputs'), {
        content: [{ text: /^Hello, Ada!\n.*Good morning.*\n.*file:\/\/\/home/s }],
      });
      t.match(await client.call('test_input_required_result_multi_round'), { content: [{ text: 'Ada likes green' }] });
      t.same(asked.slice(-2), ['Step 1: your name?', 'Step 2: your colour?']);
    },
  },
  {
    name: 'asks many clients at a time, each for itself',
    needs: ['elicitation'],
    run: async (t, { connect }) => {
      const names = ['Ada', 'Grace', 'Mary', 'Hedy'];
      const clients = await Promise.all(
        names.map((name) =>
          connect({ elicit: () => ({ action: 'accept', content: { name, color: `${name}’s own` } }) }),
        ),
      );
      const calls = clients.flatMap((client, who) =>
        Array.from({ length: 5 }, async () => ({
          who: names[who],
          result: await client.call('test_input_required_result_multi_round'),
        })),
      );
      for (const { who, result } of await Promise.all(calls))
        t.match(result, { content: [{ text: `${who} likes ${who}’s own` }] });
    },
  },
  {
    name: 'takes no for an answer',
    needs: ['elicitation'],
    run: async (t, { connect }) => {
      for (const action of ['decline', 'cancel']) {
        const client = await connect({ elicit: () => ({ action }) });
        const { content } = await client.call('test_elicitation', { message: 'Who?' });
        t.match(content, [{ text: new RegExp(`^${action}`) }]);
      }
    },
  },
  {
    name: 'sends the user to a url, and says when that is done',
    needs: ['url-elicitation'],
    pairs: ['legacy → modern'],
    run: async (t, { connect }) => {
      const asked: Record<string, unknown>[] = [];
      const visit = (params: Record<string, unknown>) => {
        asked.push(params);
        return { action: 'accept' };
      };
      const client = await connect({ visit });
      t.match(await client.call('matrix_sign_in'), { content: [{ text: 'signed in: accept' }] });
      const [{ url, elicitationId } = {}] = asked;
      t.equal(url, 'https://accounts.example/start?a=%2F');
      t.same(client.changes, [`notifications/elicitation/complete ${String(elicitationId)}`]);
    },
  },
  {
    name: 'fails a call that the client could not answer, and the client goes on',
    needs: ['elicitation'],
    pairs: ['legacy → modern'],
    run: async (t, { connect }) => {
      const client = await connect({
        elicit: () => {
          throw new Error('the screen is locked');
        },
      });
      await t.rejects(client.call('test_elicitation', { message: 'Who?' }), {
        code: -32603,
        message: /elicitation\/create: .*the screen is locked/,
      });
      t.match(await client.call('test_simple_text'), { content: [{ type: 'text' }] });
    },
  },
  {
    name: 'never asks a client for what it has not declared',
    run: async (t, { connect }) => {
      const client = await connect();
      t.match(await client.call('test_input_required_result_capabilities'), {
        content: [{ text: 'This client declared nothing to ask for.' }],
      });
    },
  },
  {
    name: 'says which capability is missing',
    needs: ['elicitation'],
    pairs: ['legacy → modern'],
    run: async (t, { connect }) => {
      const client = await connect({ elicit: anything });
      // This upstream looks at the declared capabilities itself (−32021, which no legacy client knows).
      await t.rejects(client.call('test_missing_capability'), { code: -32602, message: /sampling/ });
    },
  },
];
