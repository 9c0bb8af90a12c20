/** `probe` on real servers of both eras, and on what is none. */
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import t, { type Test } from 'tap';
import { startDemoUpstream } from '../../../src/demo/index.js';
import { run } from './run.js';

async function demo(t: Test, era: 'modern' | 'legacy'): Promise<string> {
  const server = await startDemoUpstream(era, { host: '127.0.0.1', port: 0 });
  t.teardown(() => server.close());
  return server.url;
}

/** A server that answers with `listener`; resolves with its URL and the requests that came. */
async function scripted(t: Test, listener: RequestListener): Promise<{ url: string; requests: IncomingMessage[] }> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    request.resume();
    listener(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close().closeAllConnections());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, requests };
}

const rowsOf = (stdout: string): string[][] =>
  stdout
    .split('\n')
    .filter((line) => /^\d{4}-\d\d-\d\d {2}/.test(line))
    .map((line) => line.split(/ {3,}/));

void t.test('a modern server', async (t) => {
  const { code, stdout, stderr } = await run(['probe', await demo(t, 'modern')]);
  t.strictSame([code, stderr], [0, '']);
  t.match(stdout, /^era {2,}modern$/m);
  t.match(stdout, /^revisions {2,}2026-07-28$/m);
  t.match(stdout, /^server {2,}demo-modern 1\.0\.0$/m);
  t.match(stdout, /^capabilities .*tools/m);
  t.strictSame(rowsOf(stdout), [
    ['2024-11-05', 'legacy', 'no', 'yes, translated'],
    ['2025-03-26', 'legacy', 'no', 'yes, translated'],
    ['2025-06-18', 'legacy', 'no', 'yes, translated'],
    ['2025-11-25', 'legacy', 'no', 'yes, translated'],
    ['2026-07-28', 'modern', 'yes', 'yes'],
  ]);
});

void t.test('a legacy server: its revisions are those that it agrees to', async (t) => {
  const { code, stdout, stderr } = await run(['probe', await demo(t, 'legacy')]);
  t.strictSame([code, stderr], [0, '']);
  t.match(stdout, /^era {2,}legacy$/m);
  t.match(stdout, /^revisions {2,}2025-11-25, 2025-06-18, 2025-03-26, 2024-11-05$/m);
  t.match(stdout, /^server {2,}demo-legacy 1\.0\.0$/m);
  t.match(stdout, /not carried to legacy servers/);
  t.strictSame(rowsOf(stdout), [
    ['2024-11-05', 'legacy', 'yes', 'yes'],
    ['2025-03-26', 'legacy', 'yes', 'yes'],
    ['2025-06-18', 'legacy', 'yes', 'yes'],
    ['2025-11-25', 'legacy', 'yes', 'yes'],
    ['2026-07-28', 'modern', 'no', 'not yet'],
  ]);
});

void t.test('as JSON', async (t) => {
  const { code, stdout } = await run(['probe', await demo(t, 'legacy'), '--json']);
  t.equal(code, 0);
  const report: unknown = JSON.parse(stdout);
  t.match(report, { era: 'legacy', server: { name: 'demo-legacy', version: '1.0.0' }, capabilities: { tools: {} } });
  t.match(report, { clients: [{ revision: '2024-11-05', era: 'legacy', directly: 'yes', gateway: 'yes' }] });
});

void t.test(
  'a server of one revision: sessions are ended, headers are sent, and what it says of itself is cleaned',
  async (t) => {
    const name = 'evil\u001b[2J\u202e';
    const result = { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name, version: '1' } };
    const { url, requests } = await scripted(t, (request, response) => {
      if (request.method === 'DELETE') return void response.writeHead(405).end();
      if (request.headers['mcp-method'] === 'server/discover') return void response.writeHead(400).end('no');
      response.writeHead(200, { 'content-type': 'text/event-stream', 'mcp-session-id': 'one' });
      // The stream stays open after the answer, as it may.
      response.write(`: hello\n\ndata: ${JSON.stringify({ jsonrpc: '2.0', id: 'probe', result })}\n\n`);
    });
    const { code, stdout } = await run(['probe', url, '--header', 'Authorization: Bearer abc', '--timeout', '5s']);
    t.equal(code, 0);
    t.match(stdout, /^revisions {2,}2025-06-18$/m);
    t.match(stdout, /^server {2,}evil\?\[2J\? 1$/m);
    t.strictSame(
      rowsOf(stdout).map(([revision, , directly]) => [revision, directly]),
      [
        ['2024-11-05', 'no'],
        ['2025-03-26', 'no'],
        ['2025-06-18', 'yes'],
        ['2025-11-25', 'no'],
        ['2026-07-28', 'no'],
      ],
    );
    t.ok(requests.every(({ headers }) => headers.authorization === 'Bearer abc'));
    const ended = requests.filter(({ method, headers }) => method === 'DELETE' && headers['mcp-session-id'] === 'one');
    t.equal(ended.length, 4, 'one for each handshake');
  },
);

void t.test('answers of odd shapes', async (t) => {
  for (const result of [null, [], 'text', { protocolVersion: 1, serverInfo: null, capabilities: [] }]) {
    const { url } = await scripted(t, (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id: 'probe', result }));
    });
    const { code, stderr } = await run(['probe', url, '--timeout', '5s']);
    t.equal(code, 1);
    t.match(stderr, /as an MCP server of a known revision would\n$/);
  }
});

void t.test('what cannot be probed is told in a sentence; exit code 1', async (t) => {
  const status =
    (code: number): RequestListener =>
    (_, response) =>
      void response.writeHead(code).end('text');
  const rows: [string, RegExp][] = [
    [
      (await scripted(t, status(404))).url,
      /answers neither server\/discover nor initialize as an MCP server of a known revision would/,
    ],
    [(await scripted(t, status(401))).url, /could not be probed: .*credentials.*\(upstream-auth\)/],
    [(await scripted(t, status(503))).url, /could not be probed: .*503.*\(upstream-failed\)/],
    [(await scripted(t, () => undefined)).url, /could not be probed: .*\(upstream-timeout\)/],
    [
      'http://127.0.0.1:1/mcp?key=s3cr3t',
      /http:\/\/127.0.0.1:1\/mcp\?\*\*\* could not be probed.*\(upstream-unreachable\)/,
    ],
  ];
  for (const [url, text] of rows) {
    const { code, stdout, stderr } = await run(['probe', url, '--timeout', '1s']);
    t.equal(code, 1, String(text));
    t.equal(stdout, '');
    t.match(stderr, text);
    t.notMatch(stderr, 's3cr3t');
  }
});
