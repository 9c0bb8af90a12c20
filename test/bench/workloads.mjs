/** What is sent and what the upstream answers, as bytes. The path of a request names its workload. */
const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** A modern request: body and the headers that mirror it. */
function modern(method, params = {}) {
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method,
    params: { ...params, _meta: { ...params._meta, ...envelope } },
  });
  const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method };
  return { body, headers: params.name === undefined ? headers : { ...headers, 'mcp-name': params.name } };
}

/** A legacy request; the session comes from `initialize`. */
function legacy(method, params = {}) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  return { body, headers: { 'mcp-protocol-version': '2025-11-25' } };
}

/** How a legacy client opens. */
export const initialize = {
  body: JSON.stringify({
    jsonrpc: '2.0',
    id: 0,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1.0.0' } },
  }),
  headers: {},
};

/** The same request as a client of either era sends it. */
function both(method, params) {
  return { modern: modern(method, params), legacy: legacy(method, params) };
}

const call = both('tools/call', { name: 'add', arguments: { a: 1, b: 2 }, _meta: { progressToken: 1 } });

function result(members) {
  return JSON.stringify({ jsonrpc: '2.0', id: 1, result: { resultType: 'complete', ...members } });
}

function text(size) {
  return result({ content: [{ type: 'text', text: 'x'.repeat(size) }] });
}

function tool(index) {
  const description = 'Looks something up and says what it found, in a sentence or two of plain text.';
  const properties = { query: { type: 'string', description: 'What to look for' }, limit: { type: 'integer' } };
  return { name: `tool-${index}`, description, inputSchema: { type: 'object', properties, required: ['query'] } };
}

const list = result({ tools: Array.from({ length: 23 }, (_, n) => tool(n)), ttlMs: 0, cacheScope: 'private' });

function progress(index) {
  const params = { progressToken: 1, progress: index, total: 20, message: 'working' };
  return JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params });
}

function answer(body) {
  const length = Buffer.byteLength(body);
  return Buffer.from(`HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${body}`);
}

function event(data) {
  const block = `event: message\ndata: ${data}\n\n`;
  return `${Buffer.byteLength(block).toString(16)}\r\n${block}\r\n`;
}

const streamHead =
  'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-cache\r\nTransfer-Encoding: chunked\r\n\r\n';

/** What the upstream says of itself, to the request with this id (raw JSON). */
export function discovered(id) {
  const capabilities = { tools: {} };
  const says = { supportedVersions: ['2026-07-28'], capabilities, ttlMs: 3_600_000, cacheScope: 'public' };
  return answer(result(says).replace('"id":1', `"id":${id}`));
}

/** `packets` is what the upstream writes, one by one. */
export const workloads = {
  small: { about: '200-byte tools/call', request: call, packets: [answer(text(100))] },
  list: { about: '6 KB tools/list', request: both('tools/list'), packets: [answer(list)] },
  big: { about: '1 MB result', request: call, packets: [answer(text(1_000_000))] },
  stream: {
    about: '20 events, then the result',
    request: call,
    packets: [
      Buffer.from(streamHead),
      ...Array.from({ length: 20 }, (_, n) => Buffer.from(event(progress(n + 1)))),
      Buffer.from(`${event(text(100))}0\r\n\r\n`),
    ],
  },
};

/** The path at which a proxy and the upstream serve a workload. */
export function pathOf(name) {
  return `/${name}/mcp`;
}
