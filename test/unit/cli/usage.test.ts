/** Help, wrong command lines and exit codes of the real program. */
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

void t.test('a wrong command line is told on stderr, with what may have been meant; exit code 2', async (t) => {
  const rows: [string[], RegExp][] = [
    [[], /a command is missing\nSee: mcp-resilience help\n/],
    [['serv'], /unknown command serv; did you mean serve\?/],
    [['frobnicate'], /unknown command frobnicate\n/],
    [['--versoin'], /unknown flag --versoin; did you mean --version\?/],
    [['help', 'prob'], /unknown command prob; did you mean probe\?/],
    [['serve', '--lisen', 'x'], /unknown flag --lisen; did you mean --listen\?\nSee: mcp-resilience help serve\n/],
    [['serve', '-x'], /unknown flag -x/],
    [['serve', '--listen'], /--listen/],
    [['serve'], /nothing to serve: give --config FILE or --upstream URL/],
    [['serve', 'file.yaml'], /unexpected argument "file.yaml"/],
    [
      ['serve', '--upstream', 'ftp://h', '--listen', 'x'],
      /--listen: expected HOST:PORT.*\n--upstream: expected an http:/,
    ],
    [['check'], /FILE is missing/],
    [['check', 'a', 'b'], /unexpected argument "b"/],
    [['probe'], /URL is missing/],
    [['probe', 'ftp://h', '--timeout', '5'], /url: expected an http:.*\n--timeout: expected a duration/],
    [['probe', 'http://h', '--header', 'x'], /--header: expected "NAME: VALUE"/],
    [['probe', 'http://h', '--header', 'Host: x'], /the header Host belongs to one connection/],
    [['probe', 'http://h', '--json=yes'], /--json/],
    [['demo', '--only', 'both'], /--only: expected modern or legacy, found "both"/],
  ];
  for (const [args, text] of rows) {
    const { code, stdout, stderr } = await run(args);
    t.equal(code, 2, args.join(' '));
    t.equal(stdout, '');
    t.match(stderr, text);
    t.notMatch(stderr, /\n {4}at /, 'no stack');
  }
});
