/**
 * The public face of a protected upstream (RFC 9728; 2026-07-28, basic/authorization): its challenge points here, and
 * the document here names our URL, so that neither ever names the upstream.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { refuse, RefusalError, type Refusal } from '../errors.js';
import { rewriteChallenge } from '../http/challenge.js';
import type { HttpUpstream } from '../upstreams/http.js';
import { metadataUrl, protectedResource } from '../upstreams/protected-resource.js';
import type { Gateway } from './gateway.js';
import type { Check } from './preconditions.js';
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

/** Where the document about `path` is served: also under the path of `publicUrl`, if whatever is in front leaves that. */
export function metadataPlaces({ config }: Gateway, path: string): ReadonlySet<string> {
  const prefix = config.publicUrl?.pathname.replace(/\/$/, '') ?? '';
  return new Set([path, prefix + path].map((place) => `/.well-known/oauth-protected-resource${place}`));
}

/** Answers with the document about `path`. */
export function serveMetadata(gateway: Gateway, check: Check, upstream: HttpUpstream, path: string) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { refusal, preflight, always } = check(request);
    if (refusal === undefined && preflight !== undefined) {
      response.writeHead(204, { ...always, ...preflight, ...allowGet }).end();
      return;
    }
    const answer = refusal ?? (await describe(request, upstream, publicUrlOf(gateway, request, path)));
    if (!Buffer.isBuffer(answer)) return refuseBare(gateway, request, response, answer, always);
    response.writeHead(200, { ...always, 'content-type': 'application/json', 'content-length': answer.length });
    response.end(request.method === 'HEAD' ? undefined : answer);
  };
}

const allowGet = { allow: 'GET, HEAD, OPTIONS' };

/** The document, or why there is none. */
async function describe(request: IncomingMessage, upstream: HttpUpstream, resource: URL): Promise<Buffer | Refusal> {
  if (request.method !== 'GET' && request.method !== 'HEAD') return refuse('method-not-allowed', { headers: allowGet });
  try {
    return (await protectedResource(upstream, resource)) ?? refuse('unknown-path', { detail: 'the upstream has none' });
  } catch (error) {
    return error instanceof RefusalError ? error.refusal : refuse('internal');
  }
}
