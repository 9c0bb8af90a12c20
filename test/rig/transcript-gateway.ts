/** The gateway of a story: the real one, started from the configuration that the story shows. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { loadConfig } from '../../src/config/load.js';
import { startGateway } from '../../src/main.js';

/** A running gateway. */
export interface StoryGateway {
  readonly url: URL;
  close(): Promise<void>;
}

/** Starts a gateway in front of `upstream`, named `server`; `given` is merged over that, member by member. */
export async function startStoryGateway(
  upstream: URL,
  given: Readonly<Record<string, unknown>>,
): Promise<StoryGateway> {
  const base = {
    listen: { host: '127.0.0.1', port: 0 },
    admin: false,
    upstreams: { server: { url: upstream.href, path: '/mcp' } },
    log: { level: 'silent' },
    shutdown: { grace: '1ms' },
  };
  const folder = await mkdtemp(join(tmpdir(), 'story-'));
  try {
    const file = join(folder, 'config.yaml');
    await writeFile(file, stringify(merged(base, given)));
    const running = await startGateway(loadConfig(file));
    return { url: new URL(running.addresses.gateway), close: () => running.close() };
  } finally {
    await rm(folder, { recursive: true });
  }
}

function merged(base: object, given: object): Record<string, unknown> {
  const result = new Map<string, unknown>(Object.entries(base));
  for (const [key, value] of Object.entries(given)) {
    const old = result.get(key);
    result.set(key, isMap(old) && isMap(value) ? merged(old, value) : value);
  }
  return Object.fromEntries(result);
}

function isMap(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
