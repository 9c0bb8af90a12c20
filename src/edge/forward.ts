/** Same-era exchanges on their way to the hot path: what has to be known of them, and nothing of their content. */
import type { IncomingHttpHeaders } from 'node:http';
import { passThrough, type PassThroughOptions } from '../passthrough/index.js';
import type { Session } from '../sessions/session.js';
import { peek } from '../wire/jsonrpc.js';
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
    onHead: (status, headers) => {
      if (isEventStream(headers)) exchange.streams(listens ? 'listen' : 'call');
      else if (denies(status, headers)) gateway.verdicts.contradict(exchange.upstream);
    },
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
      if (session === undefined) return;
      if (status === 404) void gateway.sessions.end(session, 'upstream-lost');
      else if (verb === 'DELETE') void gateway.sessions.end(session, 'deleted');
    },
  });
}

/** Forwards `initialize`, and learns from the answer whether this upstream keeps a session for the client. */
export function forwardInitialize(gateway: Gateway, exchange: Exchange, body: Buffer, owner: string): void {
  const { upstream } = exchange;
  pass(gateway, exchange, {
    body,
    kind: 'call',
    onHead: (status, headers) => {
      if (denies(status, headers)) gateway.verdicts.contradict(upstream);
      if (status >= 300) return;
      const id = first(headers['mcp-session-id']);
      if (id === undefined) gateway.sessionless.add(upstream.name);
      else {
        gateway.sessionless.delete(upstream.name);
        void gateway.sessions.adopt(id, { owner, upstream: upstream.name });
      }
    },
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

/** An answer that no server of the believed era gives to its own kind: the verdict is asked for again. */
function denies(status: number, headers: IncomingHttpHeaders): boolean {
  if (status !== 400 && status !== 404 && status !== 405) return false;
  return !(headers['content-type']?.toLowerCase().startsWith('application/json') ?? false);
}

function first(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
