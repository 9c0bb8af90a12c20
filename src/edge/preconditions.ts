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

/** Makes the check for one gateway; it runs once per request. */
export function preconditions({ config }: Gateway): (request: IncomingMessage) => Checked {
  const guard = createGuard({ ...config.allow, publicUrl: config.publicUrl, listenHost: config.listen.host });
  const cors = createCors({ ...corsNames, allowsOrigin: guard.allowsOrigin });
  return (request) => {
    const refused = guard.check(request);
    // A page whose Origin is refused must not read why.
    if (refused?.cell === 'origin-not-allowed') return { refusal: refused, preflight: undefined, always: {} };
    const refusal = refused ?? checkRequestHeaders(request.rawHeaders);
    return { refusal, preflight: cors.preflight(request), always: cors.headersFor(request) };
  };
}
