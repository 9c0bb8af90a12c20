/** What the server answers before, beside and after exchanges, byte for byte over sockets. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import type { Test } from 'tap';
import { configFromFlags } from '../../../src/config/load.js';
import { startGateway, type RunningGateway } from '../../../src/main.js';
import { answer, hang, scripted, type Script } from '../../upstreams/scripted.js';

interface Rig {
  readonly port: number;
  readonly gateway: RunningGateway;
}

/** A gateway in front of a scripted upstream that is pinned to the modern era. */
async function rig(t: Test, script: Script, shutdownGrace = 0): Promise<Rig> {
  const upstream = await scripted(script);
  const config = configFromFlags({ listen: '127.0.0.1:0', upstreams: [`m=${upstream.url.href}`] });
  const m = config.upstreams.get('m');
  if (m === undefined) throw new Error('no upstream');
  const gateway = await startGateway({
    ...config,
    upstreams: new Map([['m', { ...m, era: 'modern' as const }]]),
    admin: undefined,
    log: { level: 'silent', format: 'json' },
    limits: { ...config.limits, headerTimeout: 300, bodyTimeout: 300 },
    shutdownGrace,
  });
  t.teardown(async () => {
    await gateway.close();
    await upstream.close();
  });
  return { port: Number(new URL(gateway.addresses.gateway).port), gateway };
}

/** Sends raw bytes and resolves with all that comes until the end, or until `ms` have passed. */
async function exchange(port: number, bytes: string, ms = 2_000): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1'))).on('error', () => undefined);
  socket.write(bytes, 'latin1');
  await Promise.race([once(socket, 'close'), sleep(ms, undefined, { ref: false }), answered(socket, () => text)]);
  socket.destroy();
  return text;
}

/** Resolves when a whole answer with Content-Length has come. */
function answered(socket: Socket, text: () => string): Promise<void> {
  return new Promise((resolve) =>
    socket.on('data', () => {
      const [head, ...body] = text().split('\r\n\r\n');
      const length = Number(/content-length: (\d+)/i.exec(head ?? '')?.[1] ?? NaN);
      if (body.join('\r\n\r\n').length >= length) resolve();
    }),
  );
}

const ok = answer({ headers: ['content-type', 'application/json'], body: '{"jsonrpc":"2.0","id":1,"result":{}}' });
const host = 'Host: 127.0.0.1\r\n';
const body = JSON.stringify({
  jsonrpc: '2.0',
  id: 'x1',
  method: 'tools/list',
  params: {
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  },
});
const modern =
  `Content-Type: application/json\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/list\r\n` +
  `Content-Length: ${body.length}\r\n\r\n${body}`;

const refusals: [name: string, bytes: string, status: number, code: number, words: RegExp][] = [
  ['an unknown path', `GET /nothing HTTP/1.1\r\n${host}\r\n`, 404, -32600, /No MCP endpoint/],
  [
    'a body on an unknown path is not waited for',
    `POST /nothing HTTP/1.1\r\n${host}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{bad`,
    404,
    -32600,
    /No MCP endpoint/,
  ],
  [
    'the guard stands before unknown paths too',
    `POST /nothing HTTP/1.1\r\n${host}Origin: http://evil.test\r\nContent-Length: 9\r\n\r\n`,
    403,
    -32600,
    /Origin/,
  ],
  [
    'and before paths that are none',
    `POST /%zz HTTP/1.1\r\n${host}Origin: http://evil.test\r\n\r\n`,
    403,
    -32600,
    /Origin/,
  ],
  [
    'and before what describes a protected upstream',
    `POST /.well-known/oauth-protected-resource/m/mcp HTTP/1.1\r\n${host}Origin: http://evil.test\r\nContent-Length: 9\r\n\r\n`,
    403,
    -32600,
    /Origin/,
  ],
  [
    'a method that HTTP does not have',
    `FOO /mcp HTTP/1.1\r\n${host}\r\n`,
    400,
    -32600,
    /HTTP\/1\.1: HPE_INVALID_METHOD/,
  ],
  [
    'two framings of one body',
    `POST /mcp HTTP/1.1\r\n${host}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n`,
    400,
    -32600,
    /HTTP\/1\.1/,
  ],
  [
    'a head beyond all bounds',
    `GET /mcp HTTP/1.1\r\n${host}X-Long: ${'x'.repeat(20_000)}\r\n\r\n`,
    431,
    -32600,
    /16 KiB/,
  ],
  ['a head that does not end', `GET /mcp HTTP/1.1\r\n${host}`, 408, -32600, /limits\.headerTimeout/],
  [
    'an expectation',
    `POST /mcp HTTP/1.1\r\n${host}Expect: foo\r\nContent-Length: 1\r\n\r\n`,
    417,
    -32600,
    /100-continue/,
  ],
  ['no Host', `GET /mcp HTTP/1.1\r\n\r\n`, 403, -32600, /Host/],
  [
    'an Origin behind two thousand fields',
    `POST /mcp HTTP/1.1\r\n${host}${'a:b\r\n'.repeat(2_000)}Origin: http://evil.test\r\n${modern}`,
    403,
    -32600,
    /Origin/,
  ],
];

t.test('every refusal is JSON-RPC and comes at once', async (t) => {
  const { port } = await rig(t, ok);
  for (const [name, bytes, status, code, words] of refusals) {
    await t.test(name, async (t) => {
      const [head = '', text = ''] = (await exchange(port, bytes)).split('\r\n\r\n');
      t.match(head, new RegExp(`^HTTP/1\\.1 ${status} `));
      t.match(head, /content-type: application\/json/i);
      const message = JSON.parse(text) as { error: { code: number; message: string } };
      t.equal(message.error.code, code);
      t.match(message.error.message, words);
    });
  }
  t.match(await exchange(port, `POST /mcp HTTP/1.1\r\n${host}${modern}`), /^HTTP\/1\.1 200 /, 'and others are served');
});

t.test('an empty answer says that it is empty', async (t) => {
  const { port } = await rig(t, ok);
  const notification = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' });
  const head = `POST /mcp HTTP/1.1\r\n${host}MCP-Protocol-Version: 2026-07-28\r\nContent-Type: application/json\r\n`;
  const text = await exchange(port, `${head}Content-Length: ${notification.length}\r\n\r\n${notification}`);
  t.match(text, /^HTTP\/1\.1 202 /);
  t.match(text, /content-length: 0\r\n/i);
  t.notMatch(text, /content-type|transfer-encoding/i);
});

t.test('a call that outlasts the grace of a shutdown is told so, with its id', async (t) => {
  const { port, gateway } = await rig(t, hang(), 100);
  const call = exchange(port, `POST /mcp HTTP/1.1\r\n${host}${modern}`, 5_000);
  await sleep(200);
  await gateway.close();
  const text = await call;
  t.match(text, /^HTTP\/1\.1 503 /);
  t.match(text, /"id":"x1","error":\{"code":-32603,"message":"The gateway is shutting down\."/);
});
