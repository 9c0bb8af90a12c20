/** How a client and a server meet, how they hear of changes, how they ask each other, and how they part. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Session, TestClient } from '../clients.js';
import { eventually, type Feature, type Pair } from '../bench.js';

const watched = 'test://watched-resource';

/** A request in a legacy session, past the SDK. */
function post(url: string, session: string, request: object, init: RequestInit = {}): Promise<Response> {
  return fetch(url, {
    ...init,
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-session-id': session,
      'mcp-protocol-version': '2025-11-25',
      ...init.headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 'raw', ...request }),
  });
}

function sessionOf({ session }: TestClient): Session {
  if (session === undefined) throw new Error('this client has no session');
  return session;
}

async function statusOf(url: string, session: string, headers: Record<string, string> = {}): Promise<number> {
  const response = await post(url, session, { method: 'tools/list' }, { headers });
  await response.body?.cancel();
  return response.status;
}

const notices = { tools: { listChanged: true }, prompts: { listChanged: true } };
const everything = { ...notices, resources: { listChanged: true, subscribe: true } };
const noNotices = { tools: { listChanged: undefined }, prompts: { listChanged: undefined } };

/** What a client hears of the capabilities. A legacy client is told of no changes that nobody would tell it about. */
const offered: Readonly<Record<Pair['name'], object>> = {
  'legacy → legacy': { ...everything, logging: {} },
  'modern → modern': everything,
  'legacy → modern': { ...noNotices, resources: { listChanged: undefined, subscribe: undefined }, logging: {} },
};

export const sessions: readonly Feature[] = [
  {
    name: 'introduces the upstream to the client',
    run: async (t, { connect, pair, can }) => {
      const client = await connect();
      const { name, capabilities, instructions } = client.server();
      t.equal(name, `conformance-${pair.upstream}`);
      t.equal(instructions, undefined);
      t.match(capabilities, { ...(can('completions') && { completions: {} }), ...offered[pair.name] });
    },
  },
  {
    name: 'answers ping, in the era that has it',
    pairs: ['legacy → legacy', 'legacy → modern'],
    run: async (t, { connect }) => {
      t.same(await (await connect()).ping?.(), {});
    },
  },
  {
    name: 'ends one session and no other',
    needs: ['session'],
    pairs: ['legacy → legacy', 'legacy → modern'],
    run: async (t, { url, connect }) => {
      const [one, other] = await Promise.all([connect(), connect()]);
      const session = sessionOf(one);
      const { id } = session;
      t.match(id, /^[\x21-\x7e]{16,}$/);
      t.not(id, sessionOf(other).id);
      await session.end();
      t.equal(await statusOf(url, id), 404);
      t.match(await other.call('test_simple_text'), { content: [{ type: 'text' }] });
    },
  },
  {
    name: 'tells a client whose session is gone, which then opens another',
    needs: ['session'],
    pairs: ['legacy → legacy', 'legacy → modern'],
    run: async (t, { url, connect }) => {
      const client = await connect();
      const { id } = sessionOf(client);
      await fetch(url, { method: 'DELETE', headers: { 'mcp-session-id': id } });
      await t.rejects(client.call('test_simple_text'), { message: /404|No such session/ });
      const again = await connect();
      t.not(sessionOf(again).id, id);
      t.match(await again.call('test_simple_text'), { content: [{ type: 'text' }] });
    },
  },
  {
    name: 'keeps a session from other credentials and other upstreams',
    needs: ['session', 'headers'],
    pairs: ['legacy → legacy', 'legacy → modern'],
    run: async (t, { url, otherUrl, connect }) => {
      const mine = { authorization: 'Bearer mine' };
      const { id } = sessionOf(await connect({ headers: mine }));
      t.equal(await statusOf(url, id, { authorization: 'Bearer other' }), 404);
      t.equal(await statusOf(url, id), 404);
      t.equal(await statusOf(otherUrl, id, mine), 404);
      t.equal(await statusOf(url, id, mine), 200, 'and serves who opened it');
    },
  },
  {
    name: 'lets a legacy call go on when its connection is lost',
    needs: ['session'],
    pairs: ['legacy → modern'], // on the same-era pair, that is between the client and its server
    run: async (t, { url, stage, connect }) => {
      const { id } = sessionOf(await connect());
      const key = 'lost connection';
      const started = stage.seen('started', key);
      const finished = stage.seen('finished', key);
      const leave = new AbortController();
      const params = { name: 'matrix_hold', arguments: { key } };
      const call = post(url, id, { method: 'tools/call', params }, { signal: leave.signal });
      const failed = t.rejects(call.then((response) => response.text()));
      await started;
      leave.abort();
      await failed;
      await sleep(300); // a cancellation would have arrived
      stage.release(key);
      await finished; // rejects when the call was stopped
      t.pass('it was finished');
    },
  },
  {
    name: 'tells the client that a list or a resource has changed',
    pairs: ['legacy → legacy', 'modern → modern'],
    run: async (t, { connect }) => {
      const client = await connect();
      await client.follow(watched);
      const expected = {
        test_trigger_tool_change: 'notifications/tools/list_changed',
        test_trigger_prompt_change: 'notifications/prompts/list_changed',
        matrix_touch: `notifications/resources/updated ${watched}`,
      };
      for (const [trigger, change] of Object.entries(expected)) {
        await eventually(t, change, async () => {
          await client.call(trigger); // again, should the stream not have been open yet
          return client.changes.includes(change);
        });
      }
    },
  },
  {
    name: 'asks the client for input, in the middle of a call',
    needs: ['elicitation'],
    pairs: ['legacy → legacy', 'modern → modern'],
    run: async (t, { connect }) => {
      const asked: unknown[] = [];
      const elicit = (params: Record<string, unknown>) => {
        asked.push(params['message']);
        return { action: 'accept', content: { name: 'Ada', color: 'green' } };
      };
      const client = await connect({ elicit, sample: 'Good morning', roots: ['file:///home'] });
      t.match(await client.call('test_input_required_result_elicitation'), { content: [{ text: 'Hello, Ada!' }] });
      t.match(await client.call('test_input_required_result_multiple_inputs'), {
        content: [{ text: /^Hello, Ada!\n.*Good morning.*\n.*file:\/\/\/home/s }],
      });
      t.match(await client.call('test_input_required_result_multi_round'), { content: [{ text: 'Ada likes green' }] });
      t.same(asked.slice(-2), ['Step 1: your name?', 'Step 2: your colour?']);
    },
  },
  {
    name: 'takes no for an answer',
    needs: ['elicitation'],
    pairs: ['legacy → legacy', 'modern → modern'],
    run: async (t, { connect }) => {
      const client = await connect({ elicit: () => ({ action: 'decline' }) });
      t.match(await client.call('test_elicitation', { message: 'Who?' }), { content: [{ text: /^decline/ }] });
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
    name: 'refuses clearly what is not carried yet',
    needs: ['elicitation'],
    pairs: ['legacy → modern'],
    run: async (t, { connect }) => {
      const client = await connect({ elicit: () => ({ action: 'accept', content: {} }) });
      await t.rejects(client.call('test_elicitation', { message: 'Who?' }), {
        code: -32603,
        message: /asked its caller for input/,
      });
      await t.rejects(client.follow(watched), { code: -32601, message: /not carried/ });
    },
  },
];
