/**
 * A modern-only upstream: the SDK's per-request handler, which refuses the `initialize` handshake and keeps no sessions.
 */
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, type McpHttpHandler } from '@modelcontextprotocol/server';
import type { BuildServer } from './build.js';
import { host, type Endpoint, type Hosted, type ListenAddress } from './http.js';

/** Serves the servers that `build` makes, one for each request, to modern clients only. Rejects when the address cannot be bound. */
export async function serveModern(build: BuildServer, address: ListenAddress): Promise<Hosted> {
  // `legacy: 'reject'` answers a handshake with −32022 that names the modern revisions (2026-07-28, versioning).
  const handler: McpHttpHandler = createMcpHandler(() => build({ era: 'modern', changes: handler.notify }), {
    legacy: 'reject',
  });
  // The adapter's own request type leaves out `undefined`, which only `exactOptionalPropertyTypes` minds.
  const handle = toNodeHandler(handler) as Endpoint['handle'];
  return host({ handle, close: handler.close }, address);
}
