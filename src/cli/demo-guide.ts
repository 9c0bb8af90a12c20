/** What the demo prints to try: commands that can be copied into a shell as they are. */
import { metaKeys, modernRevisions } from '../wire/meta-keys.js';

/** Where the demo listens. */
export interface DemoAddresses {
  /** Such as `http://127.0.0.1:8080`. */
  readonly gateway: string;
  readonly admin: string | undefined;
}

const tool = 'convert_units';

/** The text, for a gateway with the upstreams `modern` and `legacy`. */
export function demoGuide({ gateway, admin }: DemoAddresses): string {
  return `
The gateway listens on ${gateway} in front of two demo servers:
  ${gateway}/modern/mcp   speaks 2026-07-28 only
  ${gateway}/legacy/mcp   speaks the initialize handshake only

1. A modern client calls a tool on the modern server; the bytes pass through:

${modernCall(`${gateway}/modern/mcp`)}

2. A legacy client opens a session on the same modern server, which knows no sessions, and calls the same tool:

${legacyCall(`${gateway}/modern/mcp`)}

   These two work on ${gateway}/legacy/mcp as well, where the bytes pass through.
   A modern client is not carried to the legacy server yet, and is told so.

3. ${admin === undefined ? 'Metrics are switched off (--admin off).' : `Metrics:  curl -s ${admin}/metrics | grep ^mcp_resilience_requests_total`}

Any MCP client of either era can be pointed at these addresses. Ctrl-C ends the demo.
`;
}

/** A `tools/call` of the modern era (2026-07-28, transports, "Standard Headers"). */
export function modernCall(url: string): string {
  const envelope = {
    [metaKeys.protocolVersion]: modernRevisions[0],
    [metaKeys.clientInfo]: { name: 'curl', version: '1' },
    [metaKeys.clientCapabilities]: {},
  };
  return curl(url, {
    headers: [`MCP-Protocol-Version: ${modernRevisions[0]}`, 'Mcp-Method: tools/call', `Mcp-Name: ${tool}`],
    body: call({ _meta: envelope }),
  });
}

/** A handshake and a `tools/call` of the legacy era (2025-06-18, lifecycle). */
export function legacyCall(url: string): string {
  const clientInfo = { name: 'curl', version: '1' };
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
  const open = curl(url, {
    flags: '-D - -o /dev/null',
    headers: [],
    body: { jsonrpc: '2.0', id: 1, method: 'initialize', params },
  });
  const use = curl(url, {
    headers: ['MCP-Protocol-Version: 2025-06-18', 'Mcp-Session-Id: $SESSION'],
    body: call({}),
  });
  return `   SESSION=$(${open.trimStart()} | awk 'tolower($1) == "mcp-session-id:" { print $2 }' | tr -d '\\r')\n\n${use}`;
}

function call(more: object): object {
  const params = { name: tool, arguments: { value: 26.2, from: 'mi', to: 'km' }, ...more };
  return { jsonrpc: '2.0', id: 2, method: 'tools/call', params };
}

function curl(
  url: string,
  { flags = "-w '\\n'", headers, body }: { flags?: string; headers: string[]; body: object },
): string {
  const all = ['Content-Type: application/json', 'Accept: application/json, text/event-stream', ...headers];
  return [
    `   curl -s ${flags} ${url}`,
    ...all.map((header) => `     -H "${header}"`),
    `     -d '${JSON.stringify(body)}'`,
  ].join(' \\\n');
}
