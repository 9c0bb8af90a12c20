/**
 * The HTTP floor of an embedded upstream: one `node:http` server that answers on `/mcp` and nowhere else.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { localhostHostValidation, localhostOriginValidation } from '@modelcontextprotocol/node';

/** Where to listen; port 0 picks a free one. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** An upstream that listens. */
export interface Hosted {
  /** The address of its MCP endpoint, as a client on the same machine would write it. */
  readonly url: string;
  /** Ends every stream and session and frees the port. Resolves when that is done; safe to call twice. */
  close(): Promise<void>;
}

/** What stands behind the port: an MCP endpoint, and how to end what it holds. */
export interface Endpoint {
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
  close(): Promise<void>;
}

const loopback = new Set(['127.0.0.1', '::1', 'localhost']);

/**
 * Serves `endpoint` on `/mcp`. On a loopback address, Host and Origin must be local as well: a web page whose name was
 * pointed at 127.0.0.1 must not reach us (2025-11-25 and 2026-07-28, transports, "Security Warning").
 * Rejects with the system error when the address cannot be bound.
 */
export async function host(endpoint: Endpoint, address: ListenAddress): Promise<Hosted> {
  const guards = loopback.has(address.host) ? [localhostHostValidation(), localhostOriginValidation()] : [];
  const server = createServer((request, response) => {
    if (!guards.every((passes) => passes(request, response))) return;
    if (request.url?.split('?')[0] !== '/mcp') {
      response.writeHead(404).end();
      return;
    }
    endpoint.handle(request, response).catch(() => {
      if (response.headersSent) response.destroy();
      else response.writeHead(500).end();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(address.port, address.host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  const { port } = server.address() as AddressInfo;
  const authority = address.host.includes(':') ? `[${address.host}]` : address.host;
  let closing: Promise<void> | undefined;
  return {
    url: `http://${authority}:${port}/mcp`,
    close: () =>
      (closing ??= (async () => {
        const closed = new Promise<void>((resolve) => server.close(() => resolve()));
        await endpoint.close();
        server.closeAllConnections();
        await closed;
      })()),
  };
}
