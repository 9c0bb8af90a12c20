/** Which header fields of a client's request the gateway relies on. */
import { headerCheck } from '../http/headers.js';

/**
 * Refuses a request whose `Connection` nominates a field that era or session depend on (`hop-by-hop-nomination`), that
 * repeats a field which has one value, or whose session id is not visible ASCII (`bad-header`; 2025-11-25,
 * transports, "Session Management").
 */
export const checkRequestHeaders = headerCheck({
  endToEnd: [
    'accept',
    'authorization',
    'content-encoding',
    'content-length',
    'content-type',
    'cookie',
    'host',
    'last-event-id',
    'origin',
  ],
  endToEndPrefix: 'mcp-',
  single: [
    'authorization',
    'content-type',
    'host',
    'last-event-id',
    'mcp-method',
    'mcp-name',
    'mcp-protocol-version',
    'mcp-session-id',
    'origin',
  ],
  visible: ['mcp-session-id'],
});
