/** Lines wait for company: whatever way the process ends, none of them is lost. */
import { spawnSync } from 'node:child_process';
import t from 'tap';

const endings: [name: string, statement: string][] = [
  ['by itself', ''],
  ['by process.exit', 'process.exit(0);'],
  ['by an error that nobody catches', "throw new Error('x');"],
];

for (const [name, statement] of endings) {
  t.test(`a process that ends ${name} has written its last line`, async (t) => {
    const program = `
      import { createLogger } from './dist/log.js';
      const log = createLogger({ level: 'info', format: 'json' });
      for (let n = 1; n <= 3; n++) log.info({ n }, 'line');
      ${statement}`;
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
    const lines = stdout.trim().split('\n');
    t.same(
      lines.map((line) => (JSON.parse(line) as { n: number }).n),
      [1, 2, 3],
    );
  });
}

t.test('lines of a process that goes on come within moments', async (t) => {
  const program = `
    import { createLogger } from './dist/log.js';
    createLogger({ level: 'info', format: 'json' }).info('soon');
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), 1000);`;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
  t.match(stdout, /"msg":"soon"/);
});
