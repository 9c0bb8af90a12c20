/** What every request has to fulfil before anyone looks at what it says. */
import type { IncomingMessage } from 'node:http';
import type { Refusal } from '../errors.js';
import { createCors } from '../http/cors.js';
import { createGuard } from '../http/guard.js';
import type { Gateway } from './gateway.js';
import { checkRequestHeaders } from './header-rules.js';

/** The outcome: perhaps a refusal, perhaps a preflight to answer, and the headers of every answer. */
export interface Checked {
  readonly refusal: Refusal | undefined;
  /** The headers of the answer, where the request is a preflight. */
  readonly preflight: Readonly<Record<string, string>> | undefined;
  readonly always: Readonly<Record<string, string>>;
}

/** Headers that pages may send and read (2026-07-28 and 2025-11-25, basic/transports). */
const corsNames = {
  methods: ['POST', 'GET', 'DELETE', 'OPTIONS'],
  allow: [
    'Authorization',
    'Content-Type',
    'Accept',
    'MCP-Protocol-Version',
    'Mcp-Session-Id',
    'Mcp-Method',
    'Mcp-Name',
    'Last-Event-ID',
  ],
  allowPrefix: 'mcp-param-',
  expose: ['Mcp-Session-Id', 'MCP-Protocol-Version', 'WWW-Authenticate'],
};

/** Judges one request. */
export type Check = (request: IncomingMessage) => Checked;

/** Makes the check for one gateway; it runs once per request. */
export function preconditions({ config }: Gateway): Check {
  const { allow, publicUrl, listen } = config;
  const guard = createGuard({ ...allow, publicUrl, listenHost: listen.host });
  const cors = createCors({ ...corsNames, allowsOrigin: (origin) => guard.allowsOrigin(origin) });
  return (request) => ({
    refusal: guard.check(request) ?? checkRequestHeaders(request.rawHeaders),
    preflight: cors.preflight(request),
    always: cors.headersFor(request),
  });
}
