/** From the command line to listening, and back: signals, taken ports. */
import { createServer, type AddressInfo } from 'node:net';
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
  t.match(stderr, /cannot listen on 192\.0\.2\.1:0: this machine has no such address/);
});
