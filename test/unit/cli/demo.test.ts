/** The demo: what it prints can be pasted into a shell, and works. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import t from 'tap';
import { legacyCall, modernCall } from '../../../src/cli/demo-guide.js';
import { start } from './run.js';

const shell = async (script: string): Promise<string> =>
  (await promisify(execFile)('sh', ['-c', script], { timeout: 15_000 })).stdout;

const hasCurl = await shell('curl --version').then(
  () => true,
  () => false,
);

void t.test('one demo server alone', async (t) => {
  const calls = { modern: modernCall, legacy: legacyCall };
  for (const era of ['modern', 'legacy'] as const) {
    const { child, ended, said } = await start(t, ['demo', '--only', era, '--listen', '127.0.0.1:0'], /\/mcp\n/);
    const url = /http:\S+/.exec(said)?.[0] ?? '';
    t.match(said, `The ${era} demo server listens on http://127.0.0.1:`);
    if (hasCurl) t.match(await shell(calls[era](url)), /42\.16/, `the ${era} command converts miles`);
    child.kill('SIGTERM');
    t.equal((await ended).code, 0);
  }
});

void t.test('the gateway in front of both', async (t) => {
  const { child, ended, said } = await start(
    t,
    ['demo', '--listen', '127.0.0.1:0', '--admin', '127.0.0.1:0'],
    /Ctrl-C/,
  );
  const gateway = /listens on (http:\S+)/.exec(said)?.[1] ?? '';
  const admin = /Metrics: {2}curl -s (\S+)\/metrics/.exec(said)?.[1] ?? '';
  t.ok(said.includes(modernCall(`${gateway}/modern/mcp`)), 'the modern command');
  t.ok(said.includes(legacyCall(`${gateway}/modern/mcp`)), 'the legacy command');
  t.equal((await fetch(`${admin}/healthz`)).status, 200);
  if (hasCurl) {
    t.match(await shell(modernCall(`${gateway}/modern/mcp`)), /42\.16/);
    t.match(await shell(legacyCall(`${gateway}/legacy/mcp`)), /42\.16/);
  }
  child.kill('SIGTERM');
  t.equal((await ended).code, 0);
});
