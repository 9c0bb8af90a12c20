/**
 * The public face of a protected upstream (RFC 9728; 2026-07-28, basic/authorization): its challenge points here, and
 * the document here names our URL, so that neither ever names the upstream.
 */
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { refuse, RefusalError, type Refusal } from '../errors.js';
import { rewriteChallenge } from '../http/challenge.js';
import type { HttpUpstream } from '../upstreams/http.js';
import { metadataUrl, protectedResource } from '../upstreams/protected-resource.js';
import type { Gateway } from './gateway.js';
import { preconditions } from './preconditions.js';
import { refuseBare } from './refuse-bare.js';

/** The URL under which clients know `path`: by the configuration, or else by the Host that they used. */
function publicUrlOf({ config }: Gateway, request: IncomingMessage, path: string): URL {
  const base = config.publicUrl ?? new URL(`http://${request.headers.host ?? 'localhost'}`);
  return new URL(base.pathname.replace(/\/$/, '') + path, base);
}

/** A rewriter of challenges for the client behind `request`, which came on `path`. */
export function challengeRewriter(gateway: Gateway, request: IncomingMessage, path: string): (value: string) => string {
  return (value) => rewriteChallenge(value, metadataUrl(publicUrlOf(gateway, request, path)).href);
}

/**
 * Serves the document of every upstream at the well-known place of each of its paths, also under the path of
 * `publicUrl`, where whatever stands in front of us leaves that in place.
 */
export function mountProtectedResource(app: FastifyInstance, gateway: Gateway): void {
  const check = preconditions(gateway);
  const prefix = gateway.config.publicUrl?.pathname.replace(/\/$/, '') ?? '';
  for (const upstream of gateway.upstreams.values()) {
    for (const path of upstream.config.paths) {
      for (const place of new Set([path, prefix + path])) {
        app.get(`/.well-known/oauth-protected-resource${place}`, async (request, reply) => {
          const { refusal, always } = check(request.raw);
          const answer = refusal ?? (await describe(upstream, publicUrlOf(gateway, request.raw, path)));
          if (!Buffer.isBuffer(answer)) return refuseBare(gateway, reply, answer, always);
          return reply.headers({ ...always, 'content-type': 'application/json' }).send(answer);
        });
      }
    }
  }
}

/** The document, or why there is none. */
async function describe(upstream: HttpUpstream, resource: URL): Promise<Buffer | Refusal> {
  try {
    return (await protectedResource(upstream, resource)) ?? refuse('unknown-path', { detail: 'the upstream has none' });
  } catch (error) {
    if (error instanceof RefusalError) return error.refusal;
    throw error;
  }
}
