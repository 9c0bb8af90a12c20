/**
 * The upstreams that the public conformance suite runs against: every tool, prompt and resource its scenarios call by name,
 * on the official SDK, once modern-only and once legacy-only, from one definition.
 */
import { McpServer } from '@modelcontextprotocol/server';
import type { BuildServer } from '../../src/demo/build.js';
import type { Hosted, ListenAddress } from '../../src/demo/http.js';
import { serveLegacy } from '../../src/demo/serve-legacy.js';
import { serveModern } from '../../src/demo/serve-modern.js';
import type { Era } from '../../src/wire/meta-keys.js';
import { addInputPrompt, addInputTools, verifyState } from './conformance-input.js';
import { addLibrary } from './conformance-library.js';
import { addTools } from './conformance-tools.js';

const serve = { modern: serveModern, legacy: serveLegacy };
const anyPort: ListenAddress = { host: '127.0.0.1', port: 0 };

const buildConformance: BuildServer = (serving) => {
  const server = new McpServer(
    { name: `conformance-${serving.era}`, version: '1.0.0' },
    {
      capabilities: {
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { listChanged: true, subscribe: true },
        logging: {},
        completions: {},
      },
      requestState: { verify: verifyState },
    },
  );
  addTools(server, serving);
  addInputTools(server, serving);
  addInputPrompt(server);
  addLibrary(server);
  return server;
};

/**
 * Starts the conformance upstream that speaks `era` only. `more` adds to the servers what a test needs besides.
 * Rejects with the system error when the address cannot be bound.
 */
export function startConformanceUpstream(
  era: Era,
  more?: (...built: [McpServer, ...Parameters<BuildServer>]) => void,
  listen = anyPort,
): Promise<Hosted> {
  const build: BuildServer = (serving) => {
    const server = buildConformance(serving);
    more?.(server, serving);
    return server;
  };
  return serve[era](build, listen);
}
