import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { fastify } from 'fastify';
import t from 'tap';
import { RefusalError, refuse } from '../../../src/errors.js';
import { createLogger } from '../../../src/log.js';

/** A logger and the lines that it wrote. */
function logged(level: 'info' | 'trace' = 'trace', format: 'json' | 'pretty' = 'json') {
  const lines: string[] = [];
  const log = createLogger({ level, format }, { write: (line: string) => void lines.push(line) });
  return { log, lines, last: () => JSON.parse(lines.at(-1) ?? '') as Record<string, unknown> };
}

const secret = 'sk-very-secret-4711';

void t.test('a line has a level by name, an ISO time and no noise', async (t) => {
  const { log, last } = logged();
  log.info({ requestId: 'r1' }, 'request');
  const { time, ...rest } = last();
  t.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  t.same(rest, { level: 'info', requestId: 'r1', msg: 'request' });
});

void t.test('the level of the configuration holds', async (t) => {
  const { log, lines } = logged('info');
  log.debug('no');
  log.info('yes');
  t.equal(lines.length, 1);
});

void t.test('times are written in tenths of a millisecond', async (t) => {
  const { log, last } = logged();
  log.info({ totalMs: 12.3456, upstreamMs: 0.04, status: 200.25 }, 'request');
  t.match(last(), { totalMs: 12.3, upstreamMs: 0, status: 200.25 });
  log.info({ totalMs: 1, upstreamMs: undefined }, 'request');
  t.notOk('upstreamMs' in last());
});

void t.test('a client cannot forge a line or make it long', async (t) => {
  const { log, lines, last } = logged();
  log.info({ method: `tools/call\n\x1b[2J${'x'.repeat(1_000_000)}`, revision: '2025\r\n' }, 'request');
  t.equal(last().method, `tools/call??[2J${'x'.repeat(49)}`);
  t.equal(last().revision, '2025??');
  t.ok((lines[0]?.length ?? 0) < 300);
});

void t.test('bodies and credentials are not written, at any depth', async (t) => {
  const { log, lines } = logged();
  const request = { headers: { authorization: `Bearer ${secret}` }, body: Buffer.from(secret) };
  log.info({ authorization: secret, Authorization: secret, headers: request.headers, body: secret }, 'flat');
  log.info({ request, list: [{ params: { password: secret } }] }, 'nested');
  log.info({ bytes: Buffer.from(secret), cookie: secret, data: secret }, 'others');
  log.child({ authorization: secret, request }).info('bound to a child');
  log.info(
    { buffer: Buffer.from(secret), map: new Map([['x', secret]]), url: new URL(`http://u:${secret}@h/p?q=${secret}`) },
    'objects',
  );
  t.equal(lines.length, 5);
  for (const line of lines) t.notMatch(line, secret);
  t.match(lines.at(-1), '"buffer":"[Buffer]","map":"[Map]","url":"http://h/p"');
});

void t.test('an error is described without the data that it carries', async (t) => {
  const { log, lines, last } = logged();
  const socket = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED', socket: { secret } });
  const error = new RefusalError(
    refuse('upstream-unreachable', { data: { secret }, headers: { 'www-authenticate': secret } }),
    {
      cause: socket,
    },
  );
  for (const write of [
    () => log.error({ err: error }, 'failed'),
    () => log.error(error),
    () => log.error({ why: error }, 'failed'),
  ]) {
    write();
    const err = (last().err ?? last().why) as Record<string, unknown>;
    t.match(err, {
      type: 'RefusalError',
      message: 'upstream-unreachable: The upstream server cannot be reached.',
      stack: /^ {4}at .*log\.test/,
      cause: { type: 'Error', code: 'ECONNREFUSED', message: 'connect ECONNREFUSED' },
    });
    t.notMatch(lines.at(-1), secret);
  }
});

void t.test('things that refer to themselves end', async (t) => {
  const { log, last } = logged();
  const round: Record<string, unknown> = { a: 1 };
  round.self = round;
  const error = new Error('round');
  error.cause = error;
  log.info({ round, err: error }, 'request');
  t.match(JSON.stringify(last()), '…');
});

void t.test('a request through Fastify with a credential and a body leaves neither in the log', async (t) => {
  const { log, lines } = logged('trace');
  const app = fastify({ loggerInstance: log });
  app.post('/mcp', (request) => {
    request.log.info({ req: request, request, raw: request.raw }, 'received');
    throw Object.assign(new Error('handler failed'), { request: request.raw, body: request.body });
  });
  t.teardown(() => app.close());
  const address = await app.listen({ host: '127.0.0.1', port: 0 });
  const answer = await fetch(`${address}/mcp?key=${secret}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json', cookie: secret },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { arguments: { secret } } }),
  });
  t.equal(answer.status, 500);
  t.match(lines.join(''), 'handler failed');
  t.notMatch(lines.join(''), secret);
});

void t.test('pretty is for people: one line, no JSON', async (t) => {
  const { log, lines } = logged('info', 'pretty');
  log.info({ requestId: 'r1', method: 'tools/call' }, 'request');
  t.equal(lines.length, 1);
  t.match(lines[0], /^\[\d\d:\d\d:\d\d\.\d{3}\] INFO: request \{"requestId":"r1","method":"tools\/call"\}\n$/);
});

for (const format of ['json', 'pretty']) {
  void t.test(`the last line before an exit is written (${format})`, async (t) => {
    const module = new URL('../../../src/log.ts', import.meta.url).href;
    const script = `import(${JSON.stringify(module)}).then(({ createLogger }) => {
      createLogger({ level: 'info', format: '${format}' }).info('goodbye');
      process.exit(3);
    });`;
    const run = promisify(execFile)(process.execPath, [...process.execArgv, '-e', script]);
    const { code, stdout } = (await run.catch((error: unknown) => error)) as { code: number; stdout: string };
    t.equal(code, 3);
    t.match(stdout, 'goodbye');
  });
}
