/** An upstream's configuration for tests. */
import type { UpstreamConfig } from '../../src/config/types.js';

/** `url` with the defaults of the configuration; `more` overrides. */
export function upstreamConfig(url: URL, more: Partial<UpstreamConfig> = {}): UpstreamConfig {
  return {
    name: 'scripted',
    url,
    paths: ['/mcp'],
    era: 'auto',
    optional: false,
    headers: new Map(),
    timeouts: { connect: 2_000, firstByte: 60_000, idle: 300_000 },
    verdictTtl: 300_000,
    ...more,
  };
}
