/** The real gateway in front of upstreams of a test, on loopback and ports of its own. */
import { configFromFlags } from '../../src/config/load.js';
import { startGateway } from '../../src/main.js';

/** A running gateway. */
export interface TestGateway {
  /** Where clients reach the upstream `name`. */
  url(name: string): string;
  close(): Promise<void>;
}

/** Starts a gateway in front of `upstreams`, by name; their eras are left for it to find out. Logs nothing, has no admin port. */
export async function openGateway(upstreams: Readonly<Record<string, { url: string }>>): Promise<TestGateway> {
  const flags = Object.entries(upstreams).map(([name, { url }]) => `${name}=${url}`);
  const config = configFromFlags({ listen: '127.0.0.1:0', upstreams: flags });
  const quiet = { admin: undefined, log: { level: 'silent', format: 'json' }, shutdownGrace: 0 } as const;
  const gateway = await startGateway({ ...config, ...quiet });
  return {
    url: (name) => new URL(`/${name}/mcp`, gateway.addresses.gateway).href,
    close: () => gateway.close(),
  };
}
