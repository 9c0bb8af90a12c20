/** Help and version of the real program. */
import { readFileSync } from 'node:fs';
import t from 'tap';
import { run } from './run.js';

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };

void t.test('what is asked for goes to stdout', async (t) => {
  const rows: [string[], RegExp[]][] = [
    [['--version'], [new RegExp(`^${version}\n$`)]],
    [['--help'], [/serve .*\n.*check .*\n.*probe .*\n.*demo/, /Exit codes:\n {2}0 .*\n {2}1 .*\n {2}2 .*\n {2}3 /]],
    [['-h'], [/Usage:/]],
    [['help'], [/Usage:/]],
    [
      ['help', 'serve'],
      [/Usage: mcp-resilience serve \[--config FILE\]/, /--log-format FORMAT/, /Exit codes:/],
    ],
    [['serve', '--help'], [/Usage: mcp-resilience serve/]],
    [['check', '-h'], [/Usage: mcp-resilience check FILE/]],
    [
      ['probe', '--help'],
      [/Usage: mcp-resilience probe URL/, /--timeout DURATION/],
    ],
    [['demo', '--listen', 'x', '--help'], [/Usage: mcp-resilience demo/]],
  ];
  for (const [args, texts] of rows) {
    const { code, stdout, stderr } = await run(args);
    t.equal(code, 0, args.join(' '));
    t.equal(stderr, '');
    for (const text of texts) t.match(stdout, text);
  }
});
