import t from 'tap';
import { McpServer } from '@modelcontextprotocol/server';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import type { BuildServer, Serving } from '../../../src/demo/build.js';
import { serveLegacy } from '../../../src/demo/serve-legacy.js';

const anyPort = { host: '127.0.0.1', port: 0 };
const uri = 'test://one';
let changes: Serving['changes'];

const build: BuildServer = (serving) => {
  changes = serving.changes;
  const server = new McpServer({ name: 'x', version: '1' }, { capabilities: { resources: { subscribe: true } } });
  server.registerResource('one', uri, {}, () => ({ contents: [{ uri, text: '1' }] }));
  return server;
};

async function connect(url: string): Promise<{ client: Client; updates: string[] }> {
  const client = new Client({ name: 'x', version: '1' });
  const updates: string[] = [];
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void updates.push(params.uri));
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  return { client, updates };
}

t.test('one session too many ends the one that was used longest ago', async (t) => {
  const upstream = await serveLegacy(build, anyPort, 2);
  t.teardown(() => upstream.close());
  const first = await connect(upstream.url);
  const second = await connect(upstream.url);
  await first.client.ping();
  const third = await connect(upstream.url);
  await t.rejects(second.client.ping(), { code: 404 });
  t.same(await first.client.ping(), {});
  t.same(await third.client.ping(), {});
  await Promise.all([first, second, third].map(({ client }) => client.close()));
});

t.test('an update reaches the sessions that have subscribed, until they unsubscribe', async (t) => {
  const upstream = await serveLegacy(build, anyPort);
  t.teardown(() => upstream.close());
  const [follower, other] = await Promise.all([connect(upstream.url), connect(upstream.url)]);
  await follower.client.subscribeResource({ uri });
  for (let tries = 0; tries < 40 && follower.updates.length === 0; tries++) {
    changes.resourceUpdated(uri); // until the follower's stream is open
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  t.equal(follower.updates[0], uri);
  t.same(other.updates, []);

  await follower.client.unsubscribeResource({ uri });
  const before = follower.updates.length;
  changes.resourceUpdated(uri);
  await follower.client.ping();
  await new Promise((resolve) => setTimeout(resolve, 100));
  t.equal(follower.updates.length, before);
  await Promise.all([follower.client.close(), other.client.close()]);
});
