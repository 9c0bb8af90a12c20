/** Upstreams that answer the probe, over real sockets, and what the tests of this folder say of them. */
import type { Test } from 'tap';
import type { UpstreamConfig } from '../../../src/config/types.js';
import { RefusalError, type Refusal } from '../../../src/errors.js';
import { HttpUpstream } from '../../../src/upstreams/http.js';
import { scripted, type Script, type Scripted } from '../../upstreams/scripted.js';
import { upstreamConfig } from '../../upstreams/scripted-config.js';

/** An upstream and the server behind it, for the length of the test. */
export async function behind(
  t: Test,
  script: Script | readonly Script[],
  config: Partial<UpstreamConfig> = {},
): Promise<{ upstream: HttpUpstream; server: Scripted }> {
  const server = await scripted(script);
  const upstream = new HttpUpstream(upstreamConfig(server.url, config));
  t.teardown(async () => {
    await upstream.close();
    await server.close();
  });
  return { upstream, server };
}

/** The body of an answer to the probe. */
export function discovered(members: Record<string, unknown> = {}): string {
  const result = { resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities: {}, ...members };
  return JSON.stringify({ jsonrpc: '2.0', id: 'probe', result });
}

/** The body of an error. */
export function failing(code: number, data?: unknown): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 'probe', error: { code, message: 'no', data } });
}

/** The refusal that `promise` rejects with. */
export async function refusalOf(promise: Promise<unknown>): Promise<Refusal> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof RefusalError) return error.refusal;
    throw error;
  }
  throw new Error('nothing was refused');
}
