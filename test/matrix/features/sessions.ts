/** How a client and a server meet, how they hear of changes, and how they part. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Session, TestClient } from '../clients.js';
import { eventually, type Feature } from '../bench.js';

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

const offered = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  completions: {},
};

export const sessions: readonly Feature[] = [
  {
    name: 'introduces the upstream to the client',
    run: async (t, { connect, pair, can }) => {
      const client = await connect();
      const { name, capabilities, instructions } = client.server();
      t.equal(name, `conformance-${pair.upstream}`);
      t.equal(instructions, undefined);
      const heard = pair.client === 'legacy' ? { ...offered, logging: {} } : offered;
      // A legacy server says what it likes: that is between it and its client.
      const defined = can('completions') || pair.upstream === 'legacy';
      t.match(capabilities, defined ? heard : { ...heard, completions: undefined });
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
    name: 'tells no longer of a resource that the client has unsubscribed from',
    pairs: ['legacy → legacy', 'legacy → modern'],
    run: async (t, { connect }) => {
      const client = await connect();
      const told = (): number => client.changes.filter((change) => change.endsWith(watched)).length;
      await client.follow(watched);
      await eventually(t, 'it is told', async () => {
        await client.call('matrix_touch');
        return told() > 0;
      });
      await sleep(200); // the last of them
      await client.unfollow?.(watched);
      const before = told();
      await client.call('matrix_touch');
      await eventually(t, 'the stream is at work', async () => {
        await client.call('test_trigger_tool_change');
        return client.changes.includes('notifications/tools/list_changed');
      });
      t.equal(told(), before);
    },
  },
  {
    name: 'refuses clearly what is not carried yet',
    needs: ['session'],
    pairs: ['legacy → modern'],
    run: async (t, { url, connect }) => {
      const { id } = sessionOf(await connect());
      const refused = await post(url, id, { method: 'tasks/list' });
      t.match(await refused.json(), { error: { code: -32601, message: /not carried/ } });
    },
  },
];
