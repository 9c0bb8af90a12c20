/** The table of contents: what is plugged into the edge, in which order, and why there. */
import { METHODS } from 'node:http';
import { fastify, type FastifyInstance } from 'fastify';
import { refuse } from './errors.js';
import { Exchange } from './edge/exchange.js';
import type { Gateway } from './edge/gateway.js';
import { HttpSse, type Endpoint } from './edge/http-sse.js';
import { preconditions } from './edge/preconditions.js';
import { challengeRewriter, mountProtectedResource } from './edge/protected-resource.js';
import { refuseBare } from './edge/refuse-bare.js';
import { route } from './edge/route.js';
import type { HttpUpstream } from './upstreams/http.js';

/** Makes the client-facing server of `gateway`; the caller listens and closes. */
export function createServer(gateway: Gateway): FastifyInstance {
  const { limits } = gateway.config;
  const app = fastify({
    logger: false, // one line per request is written when the exchange ends
    routerOptions: { ignoreTrailingSlash: true }, // /mcp and /mcp/ are the same, without a redirect
    return503OnClosing: false, // refusals during shutdown come from the table of errors
    forceCloseConnections: true,
    keepAliveTimeout: 72_000,
    connectionTimeout: 0, // idle event streams live
    requestTimeout: 0, // bodies have limits.bodyTimeout, streamed ones the upstream's patience
    http: { headersTimeout: limits.headerTimeout, connectionsCheckingInterval: 1_000 },
    frameworkErrors: (error, _request, reply) =>
      refuseBare(gateway, reply, refuse('unknown-path', { detail: error.message }), {}),
  });
  // Every method that Node can parse reaches the edge, which answers 405 from its own table.
  for (const method of METHODS)
    if (!app.supportedMethods.includes(method)) app.addHttpMethod(method, { hasBody: true });

  // 1. The MCP endpoints. The exchange is taken over in the first hook, before Fastify looks at the body: its
  //    parsers would round integers, refuse __proto__ and replace invalid UTF-8.
  const endpoints = [...gateway.upstreams.values()].flatMap((upstream) =>
    upstream.config.paths.map((path) => ({ upstream, path })),
  );
  for (const { upstream, path } of endpoints)
    mountEndpoint(app, gateway, upstream, { path, url: path, serve: (exchange) => route(gateway, exchange) });
  // 2. The two endpoints of HTTP+SSE beside each, where the configuration has not put another upstream.
  const httpSse = new HttpSse(gateway);
  for (const { upstream, path } of endpoints) {
    for (const endpoint of httpSse.endpoints(path))
      if (!app.hasRoute({ method: 'GET', url: endpoint.url })) mountEndpoint(app, gateway, upstream, endpoint);
  }
  // 3. What the challenge of a protected upstream points to (RFC 9728).
  mountProtectedResource(app, gateway);
  // 4. Everything else does not exist, and says so in JSON.
  const check = preconditions(gateway);
  app.setNotFoundHandler((request, reply) => {
    const { refusal, always } = check(request.raw);
    refuseBare(gateway, reply, refusal ?? refuse('unknown-path'), always);
  });
  return app;
}

function mountEndpoint(
  app: FastifyInstance,
  gateway: Gateway,
  upstream: HttpUpstream,
  { url, path, serve }: Endpoint,
): void {
  const check = preconditions(gateway);
  app.route({
    method: app.supportedMethods,
    url,
    exposeHeadRoute: false,
    onRequest: (request, reply) => {
      reply.hijack();
      const { refusal, always, preflight } = check(request.raw);
      const exchange = new Exchange({
        request: request.raw,
        response: reply.raw,
        upstream,
        requestId: gateway.nextRequestId(),
        recorder: gateway.recorder,
        log: gateway.log,
        always,
        rewriteChallenge: challengeRewriter(gateway, request.raw, path),
      });
      gateway.track(exchange);
      if (refusal !== undefined) exchange.refuse(refusal);
      else if (preflight) exchange.end(204, preflight);
      else void serve(exchange);
    },
    handler: () => undefined,
  });
}
