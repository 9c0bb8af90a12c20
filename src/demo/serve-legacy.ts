/**
 * A legacy-only upstream: sessions over Streamable HTTP, one SDK server and one transport for each
 * (2025-11-25, transports, "Session Management").
 */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node';
import type { McpServer, ServerNotifier } from '@modelcontextprotocol/server';
import type { BuildServer } from './build.js';
import { EventLog } from './event-log.js';
import { host, type Hosted, type ListenAddress } from './http.js';

/** How soon a client should come back for a stream that was closed under it, in ms. */
const retryInterval = 500;

interface Session {
  readonly server: McpServer;
  readonly transport: NodeStreamableHTTPServerTransport;
  /** URIs this session has subscribed to. */
  readonly subscribed: Set<string>;
}

class Sessions {
  readonly #build: BuildServer;
  readonly #limit: number;
  readonly #live = new Map<string, Session>();
  readonly #changes: ServerNotifier = {
    toolsChanged: () => this.#each(({ server }) => server.sendToolListChanged()),
    promptsChanged: () => this.#each(({ server }) => server.sendPromptListChanged()),
    resourcesChanged: () => this.#each(({ server }) => server.sendResourceListChanged()),
    resourceUpdated: (uri) =>
      this.#each(({ server, subscribed }) => {
        if (subscribed.has(uri)) void server.server.sendResourceUpdated({ uri }).catch(() => undefined);
      }),
  };

  constructor(build: BuildServer, limit: number) {
    this.#build = build;
    this.#limit = limit;
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const id = request.headers['mcp-session-id'];
    if (typeof id !== 'string') return this.#open(request, response);
    const session = this.#live.get(id);
    if (session === undefined) return refuseUnknown(response);
    // Back in at the end: the map is in order of last use.
    this.#live.delete(id);
    this.#live.set(id, session);
    return session.transport.handleRequest(request, response);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#live.values()].map(({ server }) => server.close()));
  }

  /** A request without a session: `initialize` opens one, anything else is refused by the fresh transport itself. */
  async #open(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const subscribed = new Set<string>();
    const server = this.#build({ era: 'legacy', changes: this.#changes });
    acceptSubscriptions(server, subscribed);
    const transport: NodeStreamableHTTPServerTransport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      eventStore: new EventLog(),
      retryInterval,
      onsessioninitialized: (id) => this.#add(id, { server, transport, subscribed }),
    });
    transport.onclose = () => {
      if (transport.sessionId !== undefined) this.#live.delete(transport.sessionId);
    };
    await server.connect(transport);
    await transport.handleRequest(request, response);
    if (transport.sessionId === undefined) await server.close();
  }

  #add(id: string, session: Session): void {
    this.#live.set(id, session);
    const [oldest] = this.#live.values();
    if (this.#live.size > this.#limit) void oldest?.server.close();
  }

  #each(tell: (session: Session) => void): void {
    for (const session of this.#live.values()) tell(session);
  }
}

/** The SDK leaves the bookkeeping of `resources/subscribe` to the server; needed only where that is advertised. */
function acceptSubscriptions({ server }: McpServer, subscribed: Set<string>): void {
  if (server.getCapabilities().resources?.subscribe !== true) return;
  server.setRequestHandler('resources/subscribe', ({ params }) => {
    subscribed.add(params.uri);
    return {};
  });
  server.setRequestHandler('resources/unsubscribe', ({ params }) => {
    subscribed.delete(params.uri);
    return {};
  });
}

/** 404 is how a legacy client learns that it has to initialize again. */
function refuseUnknown(response: ServerResponse): void {
  response.writeHead(404, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32001, message: 'Session not found' } }));
}

/**
 * Serves the servers that `build` makes, one for each session, to legacy clients only. More than `sessionLimit` sessions end the one
 * that was used longest ago: few clients say goodbye. Rejects when the address cannot be bound.
 */
export async function serveLegacy(build: BuildServer, address: ListenAddress, sessionLimit = 10_000): Promise<Hosted> {
  const sessions = new Sessions(build, sessionLimit);
  return host(
    { handle: (request, response) => sessions.handle(request, response), close: () => sessions.close() },
    address,
  );
}
