/** From the command line to listening, and back: signals, taken ports. */
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { run, start } from './run.js';

async function takenPort(t: Test): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  t.teardown(() => server.close());
  return (server.address() as AddressInfo).port;
}

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  void t.test(`serve listens until ${signal}`, async (t) => {
    const args = ['serve', '--upstream', 'http://127.0.0.1:1/mcp', '--listen', '127.0.0.1:0', '--admin', '127.0.0.1:0'];
    const { child, ended, said } = await start(t, [...args, '--log-format', 'json'], /"ready"/);
    t.match(said, /http:\/\/127\.0\.0\.1:[1-9]\d*/, 'the port that it took');
    child.kill(signal);
    t.equal((await ended).code, 0);
  });
}

void t.test('a second signal ends it at once, whatever is under way', async (t) => {
  // An upstream that takes a call and says nothing.
  const silent = createServer().listen(0, '127.0.0.1');
  await once(silent, 'listening');
  t.teardown(() => silent.close());
  const called = new Promise<void>((resolve) => {
    silent.on('connection', (socket) => {
      t.teardown(() => socket.destroy());
      socket.on('error', () => undefined);
      socket.on('data', (bytes) => bytes.includes('tools/list') && resolve());
    });
  });
  const config = `
upstreams: { a: { url: "http://127.0.0.1:${(silent.address() as AddressInfo).port}/mcp", era: modern, optional: true } }
listen: { port: 0 }
admin: false
log: { format: json }
shutdown: { grace: 20s }
`;
  const file = join(t.testdir({ 'config.yaml': config }), 'config.yaml');
  const { child, ended, said } = await start(t, ['serve', '--config', file], /"ready"/);
  const url = `${/"listen":"([^"]+)"/.exec(said)?.[1]}/mcp`;
  const headers = {
    'content-type': 'application/json',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/list',
  };
  const call = fetch(url, { method: 'POST', headers, body: '{}' }).catch(() => undefined);
  await called;

  const began = Date.now();
  child.kill('SIGTERM');
  await new Promise<void>((resolve) => {
    child.stdout?.on('data', (text: string) => text.includes('shutting down') && resolve());
  });
  child.kill('SIGTERM');
  await setTimeout(1_000);
  t.equal(child.exitCode, null, 'a second signal right after the first is the same');
  child.kill('SIGTERM');
  t.equal((await ended).code, 1);
  t.ok(Date.now() - began < 15_000, 'before the grace is over');
  await call;
});

void t.test('a taken port is told in a sentence; exit code 1', async (t) => {
  const port = await takenPort(t);
  const taken = `127.0.0.1:${port}`;
  const text = `cannot listen on ${taken}: the port is taken; choose another with --listen`;
  const rows = [
    ['serve', '--upstream', 'http://127.0.0.1:1/mcp', '--listen', taken, '--admin', 'off'],
    ['serve', '--upstream', 'http://127.0.0.1:1/mcp', '--listen', '127.0.0.1:0', '--admin', taken],
    ['demo', '--listen', taken, '--admin', 'off'],
    ['demo', '--listen', '127.0.0.1:0', '--admin', taken],
    ['demo', '--only', 'legacy', '--listen', taken],
  ];
  for (const args of rows) {
    const { code, stderr } = await run(args);
    t.equal(code, 1, args.join(' '));
    t.match(stderr, text);
    t.notMatch(stderr, /\n {4}at /, 'no stack');
  }
});

void t.test('an address that this machine does not have', async (t) => {
  const { code, stderr } = await run(['demo', '--only', 'modern', '--listen', '192.0.2.1:0']);
  t.equal(code, 1);
  t.match(stderr, /cannot listen on 192\.0\.2\.1: this machine has no such address/);
});
