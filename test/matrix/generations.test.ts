/**
 * Real old clients: every generation of the official SDK, over every transport that it has, through the real gateway to a server of
 * either era. What each is asked to do is what the newest one is asked to do, less what its generation does not have.
 */
import t from 'tap';
import { openGateway } from '../rig/gateway.js';
import { startConformanceUpstream } from '../upstreams/conformance.js';
import { pairs, tryFeatures, type Clients } from './bench.js';
import { connectLegacy } from './clients.js';
import { features } from './features/index.js';
import { generations } from './generations.js';
import { Stage } from './stage.js';

for (const pair of pairs.filter(({ client }) => client === 'legacy')) {
  t.test(pair.name, async (t) => {
    const stage = new Stage();
    const upstream = await startConformanceUpstream(pair.upstream, stage.add);
    t.teardown(() => upstream.close());
    const other = await startConformanceUpstream(pair.upstream);
    t.teardown(() => other.close());
    const gateway = await openGateway({ matrix: { url: upstream.url }, other: { url: other.url } });
    t.teardown(() => gateway.close());
    const place = { url: gateway.url('matrix'), otherUrl: gateway.url('other'), stage };

    for (const generation of generations.filter((g) => g.carrier === 'Streamable HTTP')) {
      const { name, revision, carrier, header, abilities } = generation;
      await t.test(`${name} (${revision}) over ${carrier}`, async (t) => {
        const kind: Clients = {
          pair,
          can: (what) => abilities.has(what),
          header,
          connect: (url, persona) => connectLegacy(url, persona, generation),
          watched: false,
        };
        await tryFeatures(t, features, kind, place);
      });
    }
  });
}
