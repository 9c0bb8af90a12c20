/** Refusals where there is no exchange, since no upstream is concerned or no request was read; counted all the same. */
import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { refuse, renderRefusal, type Cell, type Refusal } from '../errors.js';
import type { Gateway } from './gateway.js';

type Headers = Readonly<Record<string, string>>;

/** Answers `request` with `refusal`; `always` are the headers of every answer. */
export function refuseBare(
  gateway: Gateway,
  { method }: IncomingMessage,
  response: ServerResponse,
  refusal: Refusal,
  always: Headers,
): void {
  const { status, headers, body } = renderRefusal(refusal);
  response.writeHead(status, { ...always, ...headers }).end(body);
  count(gateway, { http: method, status, cell: refusal.cell });
}

/** What Node's parser reports, as cells. */
const parserErrors: ReadonlyMap<string, Cell> = new Map<string, Cell>([
  ['HPE_HEADER_OVERFLOW', 'head-too-large'],
  ['ERR_HTTP_REQUEST_TIMEOUT', 'head-too-slow'],
]);

/** Answers on a connection whose next request could not be read, and closes it: what follows cannot be told apart. */
export function refuseUnread(gateway: Gateway, error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const refusal = refuse(parserErrors.get(error.code ?? '') ?? 'head-malformed', { detail: error.code });
  const { status, headers, body } = renderRefusal(refusal);
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  // An answer that has begun is broken off: a head in the middle of it would be taken for its body.
  if (!answering(socket)) {
    socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${fields.join('')}connection: close\r\n\r\n`);
    socket.write(body);
  }
  socket.destroySoon();
  count(gateway, { http: undefined, status, cell: refusal.cell });
}

/** Whether the head of an answer has gone out on `socket` and not yet its end; Node keeps that to itself. */
function answering(socket: Socket): boolean {
  const { _httpMessage } = socket as { _httpMessage?: ServerResponse | null };
  return _httpMessage?.headersSent === true;
}

function count({ recorder, log }: Gateway, fact: { http: string | undefined; status: number; cell: Cell }): void {
  const facts = {
    upstream: 'none',
    clientEra: 'unknown',
    upstreamEra: 'unknown',
    revision: undefined,
    method: undefined,
    outcome: 'refused',
    cell: fact.cell,
    totalMs: 0,
    upstreamMs: undefined,
  } as const;
  recorder.exchangeEnded(facts);
  log.info({ http: fact.http, status: fact.status, ...facts }, 'request');
}
