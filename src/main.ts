/** From a configuration to a running gateway, and back to nothing. */
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { startAdmin, type Admin } from './admin.js';
import type { Config } from './config/types.js';
import { Gateway } from './edge/gateway.js';
import { createLogger } from './log.js';
import { createMetrics } from './metrics/prometheus.js';
import { Readiness } from './readiness.js';
import { createServer } from './server.js';

/** A gateway that listens. */
export interface RunningGateway {
  readonly addresses: {
    /** As a URL, such as `http://127.0.0.1:8080`. */
    readonly gateway: string;
    readonly admin: string | undefined;
  };
  /**
   * Refuses new requests, waits up to `shutdown.grace` for what is under way, and closes everything. Safe to call
   * twice: the second call joins the first.
   */
  close(): Promise<void>;
}

/**
 * Starts a gateway: listens, then probes the upstreams in the background until each was reached once.
 * Rejects with the system's error (`EADDRINUSE`, …) where it cannot listen; nothing stays open then.
 */
export async function startGateway(config: Config, log: Logger = createLogger(config.log)): Promise<RunningGateway> {
  const metrics = createMetrics({ clientSeries: config.limits.clientSeries });
  const gateway = new Gateway({ config, log, recorder: metrics });
  const readiness = new Readiness(gateway);
  const app = createServer(gateway);
  let admin: Admin | undefined;
  try {
    await app.listen({ host: config.listen.host, port: config.listen.port });
    if (config.admin) admin = await startAdmin({ ...config.admin, metrics, ready: () => readiness.state() });
  } catch (error) {
    await Promise.all([app.close(), gateway.close(0)]);
    throw error;
  }
  readiness.start();
  const addresses = { gateway: urlOf(app), admin: admin?.address };
  log.info({ listen: addresses.gateway, admin: addresses.admin, upstreams: pathsOf(config) }, 'ready');

  const close = async (): Promise<void> => {
    log.info({ exchanges: gateway.exchanges.size }, 'shutting down');
    readiness.stop();
    await gateway.close(config.shutdownGrace);
    await Promise.all([app.close(), admin?.close()]);
    log.info('closed');
  };
  let closing: Promise<void> | undefined;
  return { addresses, close: () => (closing ??= close()) };
}

function urlOf(app: FastifyInstance): string {
  const { address, family, port } = app.server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

/** Which path leads to which upstream, for the line that says the gateway is ready. */
function pathsOf(config: Config): Record<string, string> {
  return Object.fromEntries([...config.upstreams.values()].map(({ name, paths }) => [name, paths.join(' ')]));
}
