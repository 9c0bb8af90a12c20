/** The gateway as it runs: from a YAML file, logs and metrics on. */
import { loadConfig } from '../../dist/config/load.js';
import { startGateway } from '../../dist/main.js';

const { addresses } = await startGateway(loadConfig(process.argv[2]));
process.send({ port: Number(new URL(addresses.gateway).port) });
