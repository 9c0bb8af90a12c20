/**
 * Every feature on every served pair, with the real SDK clients, through the real gateway, to real SDK servers.
 */
import t from 'tap';
import { openGateway } from '../rig/gateway.js';
import { startConformanceUpstream } from '../upstreams/conformance.js';
import { pairs, type Bench } from './bench.js';
import { connect, type TestClient } from './clients.js';
import { calls } from './features/calls.js';
import { input } from './features/input.js';
import { library } from './features/library.js';
import { sessions } from './features/sessions.js';
import { tools } from './features/tools.js';
import { Stage } from './stage.js';

const features = [...sessions, ...calls, ...input, ...library, ...tools];

for (const pair of pairs) {
  t.test(pair.name, async (t) => {
    const stage = new Stage();
    const upstream = await startConformanceUpstream(pair.upstream, stage.add);
    t.teardown(() => upstream.close());
    const other = await startConformanceUpstream(pair.upstream);
    t.teardown(() => other.close());
    const gateway = await openGateway({ matrix: { url: upstream.url }, other: { url: other.url } });
    t.teardown(() => gateway.close());
    const url = gateway.url('matrix');

    for (const feature of features) {
      if (feature.pairs?.includes(pair.name) === false) continue;
      await t.test(feature.name, { timeout: 20_000 }, async (t) => {
        const clients: TestClient[] = [];
        const bench: Bench = {
          pair,
          url,
          otherUrl: gateway.url('other'),
          stage,
          connect: async (persona) => {
            const client = await connect(pair.client, url, persona);
            clients.push(client);
            return client;
          },
        };
        try {
          await feature.run(t, bench);
        } finally {
          await Promise.all(clients.map((client) => client.close()));
        }
        for (const { watch } of clients) {
          t.ok(watch.seen > 0);
          t.same(watch.faults, [], 'every message is as the schema of the client’s revision says');
        }
      });
    }
  });
}
