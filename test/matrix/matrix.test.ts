/**
 * Every feature on every served pair, with the real SDK clients, through the real gateway, to real SDK servers.
 */
import t from 'tap';
import { openGateway } from '../rig/gateway.js';
import { startConformanceUpstream } from '../upstreams/conformance.js';
import { pairs, tryFeatures, type Clients } from './bench.js';
import { connect } from './clients.js';
import { features } from './features/index.js';
import { newest } from './generations.js';
import { Stage } from './stage.js';

for (const pair of pairs) {
  t.test(pair.name, async (t) => {
    const stage = new Stage();
    const upstream = await startConformanceUpstream(pair.upstream, stage.add);
    t.teardown(() => upstream.close());
    const other = await startConformanceUpstream(pair.upstream);
    t.teardown(() => other.close());
    const gateway = await openGateway({ matrix: { url: upstream.url }, other: { url: other.url } });
    t.teardown(() => gateway.close());
    const kind: Clients = {
      pair,
      can: () => true,
      header: newest.header,
      connect: (url, persona) => connect(pair.client, url, persona),
      watched: true,
    };
    const place = { url: gateway.url('matrix'), otherUrl: gateway.url('other'), stage };
    await tryFeatures(t, features, kind, place);
  });
}
