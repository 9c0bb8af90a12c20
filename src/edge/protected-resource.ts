/**
 * What the challenge of a protected upstream points to (RFC 9728): served under our own URL, so that neither a
 * challenge nor the document behind it names the upstream.
 */
import type { FastifyInstance } from 'fastify';
import type { Gateway } from './gateway.js';
import type { Exchange } from './exchange.js';

export function challengeRewriter(_gateway: Gateway, _exchange: Exchange): ((value: string) => string) | undefined {
  return undefined;
}
export function mountProtectedResource(_app: FastifyInstance, _gateway: Gateway): void {}
