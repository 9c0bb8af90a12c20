/** A refusal where there is no exchange, since no upstream is concerned; counted all the same. */
import type { FastifyReply } from 'fastify';
import { renderRefusal, type Refusal } from '../errors.js';
import type { Gateway } from './gateway.js';

/** Answers with `refusal`; `always` are the headers of every answer. */
export function refuseBare(
  { recorder, log }: Gateway,
  reply: FastifyReply,
  refusal: Refusal,
  always: Readonly<Record<string, string>>,
): void {
  const { status, headers, body } = renderRefusal(refusal);
  reply.hijack();
  reply.raw.writeHead(status, { ...always, ...headers }).end(body);
  const facts = {
    upstream: 'none',
    clientEra: 'unknown',
    upstreamEra: 'unknown',
    revision: undefined,
    method: undefined,
    outcome: 'refused',
    cell: refusal.cell,
    totalMs: reply.elapsedTime,
    upstreamMs: undefined,
  } as const;
  recorder.exchangeEnded(facts);
  log.info({ http: reply.request.method, status, ...facts }, 'request');
}
