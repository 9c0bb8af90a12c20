/** The table of contents: what is plugged into the edge, in which order, and why there. */
import { METHODS, type IncomingMessage, type ServerResponse } from 'node:http';
import { fastify, type FastifyInstance } from 'fastify';
import { refuse } from './errors.js';
import { Exchange } from './edge/exchange.js';
import type { Gateway } from './edge/gateway.js';
import { HttpSse } from './edge/http-sse.js';
import { preconditions, type Check } from './edge/preconditions.js';
import { challengeRewriter, metadataPlaces, serveMetadata } from './edge/protected-resource.js';
import { refuseBare, refuseUnread } from './edge/refuse-bare.js';
import { route } from './edge/route.js';
import type { HttpUpstream } from './upstreams/http.js';

/** What answers the requests of one route. */
type Taker = (request: IncomingMessage, response: ServerResponse) => void;

/** Makes the client-facing server of `gateway`; the caller listens and closes. */
export function createServer(gateway: Gateway): FastifyInstance {
  const { limits } = gateway.config;
  const check = preconditions(gateway);
  const app = fastify({
    logger: false, // one line per request is written when the exchange ends
    routerOptions: { ignoreTrailingSlash: true }, // /mcp and /mcp/ are the same, without a redirect
    return503OnClosing: false, // refusals during shutdown come from the table of errors
    forceCloseConnections: true,
    keepAliveTimeout: 72_000,
    connectionTimeout: 0, // idle event streams live
    requestTimeout: 0, // bodies have limits.bodyTimeout, streamed ones the upstream's patience
    http: { headersTimeout: limits.headerTimeout, connectionsCheckingInterval: 1_000, requireHostHeader: false },
    // A path that is no path, and a head that is none: the router's and the parser's refusals come from our table too.
    frameworkErrors: (_error, request, reply) => nowhere(request.raw, reply.hijack().raw),
    clientErrorHandler: (error, socket) => refuseUnread(gateway, error, socket),
  });
  // Beyond Node's default of 2,000 header fields the guard would not see what an upstream may.
  app.server.maxHeadersCount = 0;
  app.server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) =>
    refuseBare(gateway, request, response, refuse('expectation-unmet'), check(request).always),
  );
  // Every method that Node can parse reaches the edge, which answers 405 from its own table.
  for (const method of METHODS)
    if (!app.supportedMethods.includes(method)) app.addHttpMethod(method, { hasBody: true });

  const taken = new Set([...gateway.upstreams.values()].flatMap(({ config }) => config.paths));
  const httpSse = new HttpSse(gateway);
  for (const upstream of gateway.upstreams.values()) {
    for (const path of upstream.config.paths) {
      // 1. The MCP endpoints.
      const at = { upstream, path };
      mount(
        app,
        path,
        endpoint(gateway, check, at, (exchange) => route(gateway, exchange)),
      );
      // 2. The two endpoints of HTTP+SSE beside each, where the configuration has not put another upstream.
      for (const { url, serve } of httpSse.endpoints(path))
        if (!taken.has(url)) mount(app, url, endpoint(gateway, check, at, serve));
      // 3. What the challenge of a protected upstream points to (RFC 9728).
      const describe = serveMetadata(gateway, check, upstream, path);
      for (const place of metadataPlaces(gateway, path)) mount(app, place, (...pair) => void describe(...pair));
    }
  }
  // 4. Everything else does not exist, and says so in JSON.
  mount(app, '*', nowhere);
  return app;

  function nowhere(request: IncomingMessage, response: ServerResponse): void {
    const { refusal, always } = check(request);
    refuseBare(gateway, request, response, refusal ?? refuse('unknown-path'), always);
  }
}

/**
 * Routes all methods of `url` to `take`, in the first hook, before Fastify looks at the body: its parsers would round
 * integers, refuse __proto__, replace invalid UTF-8, and wait for bodies that nobody wants.
 */
function mount(app: FastifyInstance, url: string, take: Taker): void {
  app.route({
    method: app.supportedMethods,
    url,
    exposeHeadRoute: false,
    onRequest: (request, reply) => take(request.raw, reply.hijack().raw),
    handler: () => undefined,
  });
}

/** Has `serve` answer what comes for the upstream that clients know at `path`. */
function endpoint(
  gateway: Gateway,
  check: Check,
  { upstream, path }: { readonly upstream: HttpUpstream; readonly path: string },
  serve: (exchange: Exchange) => Promise<void>,
): Taker {
  const { recorder, log } = gateway;
  return (request, response) => {
    const { refusal, always, preflight } = check(request);
    const exchange = new Exchange({
      request,
      response,
      upstream,
      requestId: gateway.nextRequestId(),
      recorder,
      log,
      always,
      rewriteChallenge: challengeRewriter(gateway, request, path),
    });
    gateway.track(exchange);
    if (refusal !== undefined) exchange.refuse(refusal);
    else if (preflight) exchange.end(204, preflight);
    else void serve(exchange);
  };
}
