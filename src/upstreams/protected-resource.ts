/**
 * The document that describes a protected upstream (RFC 9728), as it has to read under the gateway's own URL: a client
 * refuses one whose `resource` is not the URL that it called (§3.3).
 */
import type { Readable } from 'node:stream';
import { refuse, RefusalError } from '../errors.js';
import { applySplices, checkJson, editObject, kindOf } from '../wire/json.js';
import { within } from './deadline.js';
import { cellOfUpstreamError, HttpUpstream, type UpstreamResponse } from './http.js';

const wellKnown = '/.well-known/oauth-protected-resource';
/** Such a document has a dozen short members. */
const largest = 256 * 1024;
/** Milliseconds, if the upstream's own timeout is not shorter. */
const longest = 10_000;

/** Where `resource` is described: the well-known path is put before its own (RFC 9728 §3.1). */
export function metadataUrl(resource: URL): URL {
  const url = new URL(resource);
  url.pathname = wellKnown + (resource.pathname === '/' ? '' : resource.pathname);
  url.hash = '';
  return url;
}

/**
 * The document of `upstream` with `resource`, the public URL, in the place of the upstream's own; all other members
 * byte for byte. Undefined where the upstream has none. Throws a RefusalError where it does not say.
 */
export async function protectedResource(
  upstream: HttpUpstream,
  resource: URL,
  signal?: AbortSignal,
): Promise<Buffer | undefined> {
  const { url } = upstream.config;
  const own = metadataUrl(url);
  const root = new URL(wellKnown, url);
  const document = (await fetchDocument(upstream, own, signal)) ?? (await fetchDocument(upstream, root, signal));
  return document && rewriteDocument(document, resource.href);
}

/** `document` about `resource`. Throws a RefusalError if it is no JSON object. */
export function rewriteDocument(document: Buffer, resource: string): Buffer {
  const checked = checkJson(document);
  if (checked.kind === 'invalid' || kindOf(document, checked.root) !== 'object')
    throw unintelligible('its description as a protected resource is no JSON object');
  // What is signed takes precedence over the other members (§2.2), and says the upstream's own URL.
  const edit = { set: [['resource', JSON.stringify(resource)]], remove: ['signed_metadata'] } as const;
  return applySplices(document, editObject(document, checked.root, edit));
}

/** GETs one URL of the upstream's origin; it is asked for so rarely that it has a connection of its own. */
async function fetchDocument(upstream: HttpUpstream, url: URL, signal?: AbortSignal): Promise<Buffer | undefined> {
  const { config } = upstream;
  const once = new HttpUpstream({ ...config, url });
  const ms = Math.min(config.timeouts.firstByte, longest);
  try {
    return await within({ ms, signal, asked: 'GET of its resource metadata' }, async (inner) => {
      const headers = { accept: 'application/json', 'accept-encoding': 'identity' };
      return readDocument(await once.request({ method: 'GET', headers, body: null, kind: 'call' }, { signal: inner }));
    });
  } catch (error) {
    if (error instanceof RefusalError || signal?.aborted) throw error;
    throw new RefusalError(refuse(cellOfUpstreamError(error)), { cause: error });
  } finally {
    await once.close();
  }
}

/** Any 4xx says that there is none; a redirect is not followed, and says the same. */
async function readDocument({ status, body }: UpstreamResponse): Promise<Buffer | undefined> {
  if (status === 200) return readAll(body);
  body.destroy();
  if (status < 500) return undefined;
  throw new RefusalError(refuse('upstream-failed', { detail: `HTTP ${status} to GET of its resource metadata` }));
}

async function readAll(body: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > largest)
      throw unintelligible(`its description as a protected resource is larger than ${largest} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function unintelligible(detail: string): RefusalError {
  return new RefusalError(refuse('upstream-unintelligible', { detail }));
}
