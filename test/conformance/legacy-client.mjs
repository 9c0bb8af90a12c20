/**
 * What the client leg of the suite runs as a client: a legacy one, through a gateway of its own, on the suite's modern server. It
 * lists what there is, and calls, gets and reads each that it was shown: tools with the arguments that the suite gives, or made-up ones.
 */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { configFromFlags } from '../../dist/config/load.js';
import { startGateway } from '../../dist/main.js';

const config = configFromFlags({ listen: '127.0.0.1:0', upstreams: [process.argv.at(-1)] });
const quiet = { admin: undefined, log: { level: 'silent', format: 'json' }, shutdownGrace: 0 };
const gateway = await startGateway({ ...config, ...quiet });
const client = new Client(
  { name: 'conformance', version: '1.0.0' },
  { capabilities: { elicitation: {}, roots: {}, sampling: {} } },
);
client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept', content: { confirmed: true } }));
await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', gateway.addresses.gateway)));

const { toolCalls = [] } = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}');
const { tools } = await client.listTools();
for (const { name, inputSchema } of tools) {
  const given = toolCalls.filter((call) => call.name === name).map((call) => call.arguments);
  for (const args of given.length > 0 ? given : [madeUp(inputSchema)])
    await client.callTool({ name, arguments: args }).catch(() => undefined);
}
// Not every server has these; the suite judges what it has heard.
const { prompts } = await client.listPrompts().catch(() => ({ prompts: [] }));
for (const { name } of prompts) await client.getPrompt({ name }).catch(() => undefined);
const { resources } = await client.listResources().catch(() => ({ resources: [] }));
for (const { uri } of resources) await client.readResource({ uri }).catch(() => undefined);
await client.close();
await gateway.close();

/** A value for each property that has to be there; a `schema` is the one that the list has for another tool. */
function madeUp({ properties = {}, required = [] }) {
  const values = { string: 'x', integer: 7, number: 1.5, boolean: true, object: tools[0].inputSchema };
  return Object.fromEntries(required.map((key) => [key, values[properties[key]?.type] ?? 'x']));
}
