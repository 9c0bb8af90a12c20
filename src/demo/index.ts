/**
 * Two embedded upstreams to try the gateway with, on the official SDK: the same tools, resources and prompt, spoken in one
 * era only.
 */
import { McpServer } from '@modelcontextprotocol/server';
import type { Era } from '../wire/meta-keys.js';
import type { BuildServer } from './build.js';
import type { Hosted, ListenAddress } from './http.js';
import { addLibrary } from './library.js';
import { serveLegacy } from './serve-legacy.js';
import { serveModern } from './serve-modern.js';
import { addTools } from './tools.js';

const serve = { modern: serveModern, legacy: serveLegacy };

const buildDemo: BuildServer = ({ era }) => {
  const server = new McpServer(
    { name: `demo-${era}`, title: `Demo server (${era})`, version: '1.0.0' },
    { capabilities: { logging: {} }, instructions: 'A handful of small tools to try MCP with. Nothing is stored.' },
  );
  addTools(server);
  addLibrary(server, era);
  return server;
};

/**
 * Starts one demo upstream that speaks `kind` only. Resolves when it listens, with the URL of its MCP endpoint;
 * rejects with the system error when the address cannot be bound.
 */
export function startDemoUpstream(kind: Era, listen: ListenAddress): Promise<Hosted> {
  return serve[kind](buildDemo, listen);
}
