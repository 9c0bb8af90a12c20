/** Every generation of the official SDK over HTTP+SSE, to a modern server; to a legacy one it is not carried, and they are told. */
import t from 'tap';
import { openGateway } from '../rig/gateway.js';
import { startConformanceUpstream } from '../upstreams/conformance.js';
import { pairs } from './bench.js';
import { connectLegacy } from './clients.js';
import { generations } from './generations.js';
import { tryGenerations } from './old-clients.js';

for (const pair of pairs.filter(({ name }) => name === 'legacy → modern'))
  t.test(pair.name, (t) => tryGenerations(t, pair, 'HTTP+SSE'));

t.test('legacy → legacy', async (t) => {
  const upstream = await startConformanceUpstream('legacy');
  t.teardown(() => upstream.close());
  const gateway = await openGateway({ old: { url: upstream.url } });
  t.teardown(() => gateway.close());
  const url = gateway.url('old');
  for (const generation of generations.filter(({ carrier }) => carrier === 'HTTP+SSE'))
    await t.rejects(connectLegacy(url, {}, generation), /501|SSE error/, `${generation.name} is refused`);
  const refused = await fetch(`${url}/sse`);
  t.equal(refused.status, 501);
  t.match(await refused.json(), { error: { message: /use Streamable HTTP, at this URL without \/sse/ } });
});
