/** Same-era exchanges on their way to the hot path: what has to be known of them, and nothing of their content. */
import type { IncomingHttpHeaders } from 'node:http';
import { contradicts, errorCodeIn } from '../era/contradictions.js';
import { passThrough, type PassThroughOptions } from '../passthrough/index.js';
import type { Session } from '../sessions/session.js';
import { peek } from '../wire/jsonrpc.js';
import type { Era } from '../wire/meta-keys.js';
import type { Exchange } from './exchange.js';
import type { Gateway } from './gateway.js';

type Body = PassThroughOptions['body'];

/** Forwards a request of a modern client to an upstream that speaks modern; the method is told by the header. */
export function forwardModern(gateway: Gateway, exchange: Exchange, body: Body): void {
  const { method } = exchange;
  const listens = method === 'subscriptions/listen';
  pass(gateway, exchange, {
    body,
    kind: listens ? 'stream' : 'call',
    notification: method?.startsWith('notifications/'),
    onHead: (_status, headers) => {
      if (isEventStream(headers)) exchange.streams(listens ? 'listen' : 'call');
    },
    ...doubting(gateway, exchange, 'modern'),
  });
}

/** Forwards an operation on a session that the upstream itself keeps; 404 and DELETE end what we know of it. */
export function forwardLegacy(gateway: Gateway, exchange: Exchange, body: Body, session: Session | undefined): void {
  const verb = exchange.request.method;
  if (session !== undefined) keepAlive(session, exchange);
  pass(gateway, exchange, {
    body,
    kind: verb === 'GET' ? 'stream' : 'call',
    notification: nameMessage(exchange, body) === 'notification',
    onHead: (status, headers) => {
      if (isEventStream(headers)) exchange.streams(verb === 'GET' ? 'get' : 'call');
      if (session !== undefined && verb === 'DELETE' && status !== 404) void gateway.sessions.end(session, 'deleted');
    },
    ...doubting(gateway, exchange, 'legacy', (status, code) => {
      // 404 ends a session (2025-11-25, transports "Session Management"), unless it says that a method does not exist.
      if (session !== undefined && status === 404 && code !== '-32601')
        void gateway.sessions.end(session, 'upstream-lost');
    }),
  });
}

/** Forwards `initialize`, and learns from the answer whether this upstream keeps a session for the client. */
export function forwardInitialize(gateway: Gateway, exchange: Exchange, body: Buffer, owner: string): void {
  const { upstream } = exchange;
  pass(gateway, exchange, {
    body,
    kind: 'call',
    onHead: (status, headers) => {
      if (status >= 300) return;
      const id = first(headers['mcp-session-id']);
      if (id === undefined) gateway.sessionless.add(upstream.name);
      else {
        gateway.sessionless.delete(upstream.name);
        void gateway.sessions.adopt(id, { owner, upstream: upstream.name });
      }
    },
    ...doubting(gateway, exchange, 'legacy'),
  });
}

/** A session with a call or a stream under way is not idle; a stream ends with its session, a call has its answer. */
function keepAlive(session: Session, exchange: Exchange): void {
  const { requestId, response } = exchange;
  session.inflight.set(requestId, { end: () => void (exchange.endless && response.end()) });
  response.once('close', () => session.inflight.delete(requestId));
}

function pass(gateway: Gateway, exchange: Exchange, options: Omit<PassThroughOptions, 'bounds'>): void {
  const { forwardedBody, bodyTimeout } = gateway.config.limits;
  const bounds = { limit: forwardedBody, patience: bodyTimeout };
  passThrough(exchange, { ...options, bounds });
}

/** Notes method and id of a legacy message for log, metrics and errors, without parsing the rest of it. */
function nameMessage(exchange: Exchange, body: Body): 'request' | 'notification' | undefined {
  if (!Buffer.isBuffer(body)) return undefined;
  const { id, method } = peek(body);
  exchange.method = method;
  exchange.id = id;
  if (method === undefined) return undefined;
  return id === undefined && method.startsWith('notifications/') ? 'notification' : 'request';
}

function isEventStream(headers: IncomingHttpHeaders): boolean {
  return headers['content-type']?.toLowerCase().startsWith('text/event-stream') ?? false;
}

/**
 * Watches for what contradicts the verdict: an answer that no server of that era gives, or nobody there at all, which is
 * how a server looks while another takes its place. `also` sees every answer that turned the request down.
 */
function doubting(
  { verdicts }: Gateway,
  exchange: Exchange,
  believed: Era,
  also?: (status: number, code: string | undefined) => void,
): Pick<PassThroughOptions, 'onTurnedDown' | 'onUnreachable'> {
  return {
    onTurnedDown: (status, body) => {
      const code = errorCodeIn(body);
      also?.(status, code);
      if (contradicts(believed, { status, code, method: exchange.method })) verdicts.contradict(exchange.upstream);
    },
    onUnreachable: () => verdicts.contradict(exchange.upstream),
  };
}

function first(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
