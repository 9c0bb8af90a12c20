/** The admin port: metrics, liveness and readiness, apart from the port that clients use. */
import type { AddressInfo } from 'node:net';
import { fastify } from 'fastify';
import type { Metrics } from './metrics/prometheus.js';

/** Whether every upstream that has to be there was reached, and which were not yet. */
export interface Readiness {
  readonly ready: boolean;
  readonly waitingFor: readonly string[];
}

/** What the admin port is made with. */
export interface AdminOptions {
  readonly host: string;
  readonly port: number;
  readonly metrics: Pick<Metrics, 'contentType' | 'render'>;
  /** Asked at every `/readyz`. */
  ready(): Readiness;
}

/** A listening admin port. */
export interface Admin {
  /** Where it is bound, as a URL such as `http://127.0.0.1:9464`. */
  readonly address: string;
  /** Closes at once: connections that are kept open do not hold up the end of the process. */
  close(): Promise<void>;
}

const allow = 'GET, HEAD';
const plain = 'text/plain; charset=utf-8';
const index = 'mcp-resilience admin: /metrics /healthz /readyz\n';

/** Listens on the admin port. Rejects with the system's error (`EADDRINUSE`, …) where it cannot. */
export async function startAdmin(options: AdminOptions): Promise<Admin> {
  const app = fastify({ forceCloseConnections: true, requestTimeout: 10_000, bodyLimit: 1024 });

  app.addHook('onRequest', async (request, reply) => {
    reply.header('cache-control', 'no-store');
    if (request.method === 'GET' || request.method === 'HEAD') return;
    // Connection: close, because the body of such a request is never read.
    await reply
      .code(405)
      .headers({ allow, connection: 'close' })
      .type(plain)
      .send(`Only ${allow} are answered here.\n`);
  });
  app.setNotFoundHandler((_, reply) => reply.code(404).type(plain).send('Not found; see /\n'));

  app.get('/', (_, reply) => reply.type(plain).send(index));
  app.get('/metrics', async (_, reply) => {
    const body = await options.metrics.render();
    return reply.type(options.metrics.contentType).send(body);
  });
  // Liveness is only that this process answers: a restart does not mend an upstream.
  app.get('/healthz', (_, reply) => reply.type(plain).send('ok\n'));
  app.get('/readyz', (_, reply) => {
    const readiness = options.ready();
    return reply.code(readiness.ready ? 200 : 503).send(readiness);
  });

  await app.listen({ host: options.host, port: options.port });
  return { address: urlOf(app.server.address() as AddressInfo), close: () => app.close() };
}

/** Where it is bound, as the system says it; Fastify names an interface instead of `0.0.0.0`. */
function urlOf({ address, family, port }: AddressInfo): string {
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}
