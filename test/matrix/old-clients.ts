/**
 * Real old clients: every generation of the official SDK over one transport, through the real gateway to a server of one era. What
 * each is asked to do is what the newest one is asked to do, less what its generation does not have.
 */
import type { Test } from 'tap';
import { openGateway } from '../rig/gateway.js';
import { startConformanceUpstream } from '../upstreams/conformance.js';
import { tryFeatures, type Clients, type Pair } from './bench.js';
import { connectLegacy } from './clients.js';
import { features } from './features/index.js';
import { generations, type Carrier } from './generations.js';
import { Stage } from './stage.js';

/** Tries every feature with every generation that has a client for `carrier`. */
export async function tryGenerations(t: Test, pair: Pair, carrier: Carrier): Promise<void> {
  const stage = new Stage();
  const upstream = await startConformanceUpstream(pair.upstream, stage.add);
  t.teardown(() => upstream.close());
  const other = await startConformanceUpstream(pair.upstream);
  t.teardown(() => other.close());
  const gateway = await openGateway({ matrix: { url: upstream.url }, other: { url: other.url } });
  t.teardown(() => gateway.close());
  const place = { url: gateway.url('matrix'), otherUrl: gateway.url('other'), stage };

  for (const generation of generations.filter((one) => one.carrier === carrier)) {
    const { name, revision, header, abilities, watched } = generation;
    await t.test(`${name}, which speaks ${revision}`, async (t) => {
      const kind: Clients = {
        pair,
        can: (what) => abilities.has(what),
        header,
        connect: (url, persona) => connectLegacy(url, persona, generation),
        watched,
      };
      await tryFeatures(t, features, kind, place);
    });
  }
}
