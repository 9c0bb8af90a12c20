/** Wrong command lines of the real program. */
import t from 'tap';
import { run } from './run.js';

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
