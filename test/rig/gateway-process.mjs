/**
 * The gateway as a process of its own whose memory a test can read. Takes the configuration as the first argument (YAML file), sends
 * its addresses when it listens, and answers every message with the bytes of its heap after a collection. Needs `--expose-gc`.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { loadConfig } from '../../dist/config/load.js';
import { startGateway } from '../../dist/main.js';

const gateway = await startGateway(loadConfig(process.argv[2]));
process.send(gateway.addresses);
process.on('message', async () => {
  // What a collection frees may hold more through a finalizer: the second one takes that too.
  for (let n = 0; n < 2; n++) {
    globalThis.gc();
    await sleep(50);
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  process.send(heapUsed + arrayBuffers);
});
process.on('disconnect', () => process.exit());
