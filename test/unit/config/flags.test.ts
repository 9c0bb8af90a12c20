import t from 'tap';
import { configFromFlags, type Flags } from '../../../src/config/load.js';
import { load, problemsOf } from './files.js';

const url = 'http://127.0.0.1:3001/mcp';

void t.test('one URL is enough', async (t) => {
  const { upstreams, listen, admin } = configFromFlags({ upstreams: [url] });
  t.strictSame(
    [...upstreams.values()].map(({ name, paths, url }) => [name, paths, url.href]),
    [['default', ['/default/mcp', '/mcp'], url]],
  );
  t.strictSame(listen, { host: '127.0.0.1', port: 8080 });
  t.strictSame(admin, { host: '127.0.0.1', port: 9464 });
});

void t.test('names, and URLs with a = of their own', async (t) => {
  const query = `${url}?key=value`;
  const { upstreams } = configFromFlags({ upstreams: [`a=${url}`, query] });
  t.strictSame(
    [...upstreams.values()].map(({ name, paths, url }) => [name, paths, url.href]),
    [
      ['a', ['/a/mcp'], url],
      ['default', ['/default/mcp'], query],
    ],
  );
});

void t.test('addresses', async (t) => {
  const listen = (text: string): unknown => configFromFlags({ listen: text, upstreams: [] }).listen;
  t.strictSame(listen('0.0.0.0:0'), { host: '0.0.0.0', port: 0 });
  t.strictSame(listen('[::1]:65535'), { host: '::1', port: 65_535 });
  t.equal(configFromFlags({ admin: 'off', upstreams: [] }).admin, undefined);
  t.strictSame(configFromFlags({ admin: 'localhost:1', upstreams: [] }).admin, { host: 'localhost', port: 1 });
});

void t.test('flags go over the file', async (t) => {
  const base = load(
    t,
    `
listen: { host: "::1", port: 1 }
upstreams: { a: { url: ${url}, path: /x, era: legacy, headers: { K: v } } }
log: { level: warn, format: pretty }
`,
  );
  t.strictSame(configFromFlags({ upstreams: [] }, base), base, 'no flags change nothing');

  const flags = { listen: '127.0.0.1:2', upstreams: ['a=http://h/mcp', `b=${url}`], logLevel: 'debug' };
  const config = configFromFlags(flags, base);
  t.strictSame(config.listen, { host: '127.0.0.1', port: 2 });
  t.strictSame(config.log, { level: 'debug', format: 'pretty' });
  t.match(config.upstreams.get('a'), { url: new URL('http://h/mcp'), era: 'legacy', headers: new Map([['K', 'v']]) });
  t.strictSame(config.upstreams.get('a')?.paths, ['/x'], 'no longer the only one');
  t.strictSame(config.upstreams.get('b')?.paths, ['/b/mcp']);
  t.strictSame(base.upstreams.get('a')?.paths, ['/x', '/mcp'], 'the base is as it was');
});

void t.test('wrong flags, all told by name', async (t) => {
  const rows: [Partial<Flags>, string, RegExp][] = [
    [{ listen: '8080' }, '--listen', /expected HOST:PORT .*, found "8080"/],
    [{ listen: '::1:8080' }, '--listen', /expected HOST:PORT/],
    [{ listen: ':8080' }, '--listen', /expected HOST:PORT/],
    [{ listen: 'h:65536' }, '--listen', /expected a port from 0 to 65535.*, found 65536/],
    [{ listen: 'a b:1' }, '--listen', /expected a host name/],
    [{ admin: 'on' }, '--admin', /expected HOST:PORT/],
    [{ logLevel: 'inof' }, '--log-level', /found "inof"; did you mean info\?/],
    [{ logFormat: 'text' }, '--log-format', /expected one of json, pretty/],
    [{ upstreams: ['ftp://h'] }, '--upstream', /expected an http:/],
    [{ upstreams: ['http://u:s3cr3t@h'] }, '--upstream', /must not hold a user name or password.*\*\*\*@h/],
    [{ upstreams: [`=${url}`] }, '--upstream', /expected a name/],
    [{ upstreams: [`a b=${url}`] }, '--upstream', /expected a name/],
    [{ upstreams: [url, url] }, '--upstream', /the name "default" is given twice/],
    [{ upstreams: [''] }, '--upstream', /expected an http:/],
  ];
  for (const [flags, key, message] of rows) {
    const problems = problemsOf(() => configFromFlags({ upstreams: [], ...flags }));
    t.match(problems, [{ file: 'command line', key, message }], JSON.stringify(flags));
    t.equal(problems.length, 1);
    t.notMatch(JSON.stringify(problems), 's3cr3t');
  }
  const all = problemsOf(() => configFromFlags({ listen: 'x', admin: 'x', logLevel: 'x', upstreams: ['x', 'x'] }));
  t.strictSame(
    all.map(({ key }) => key),
    ['--listen', '--admin', '--upstream', '--upstream', '--log-level'],
  );
});

void t.test('a new upstream must not take the path of another', async (t) => {
  const base = load(t, `upstreams: { a: { url: ${url}, path: /b/mcp } }`);
  t.match(
    problemsOf(() => configFromFlags({ upstreams: [`b=${url}`] }, base)),
    [{ key: '--upstream', message: /b: the upstream "a" is served at \/b\/mcp already/ }],
  );
});
