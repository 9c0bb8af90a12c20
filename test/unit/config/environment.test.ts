import t, { type Test } from 'tap';
import { complaints, load } from './files.js';

const url = 'http://127.0.0.1:3001/mcp';

function headerFrom(test: Test, text: string, env: NodeJS.ProcessEnv): string | undefined {
  return load(test, `upstreams: { a: { url: ${url}, headers: { X: '${text}' } } }`, env)
    .upstreams.get('a')
    ?.headers.get('X');
}

void t.test('references in texts', async (t) => {
  const env = { KEY: 'abc', EMPTY: '', REF: '${KEY}', YAML: '"} , era: legacy' };
  const rows: [string, string][] = [
    ['${KEY}', 'abc'],
    ['Bearer ${KEY}.${KEY}', 'Bearer abc.abc'],
    ['${NONE:-fallback}', 'fallback'],
    ['${EMPTY:-fallback}', 'fallback'],
    ['${KEY:-fallback}', 'abc'],
    ['${NONE:-}', ''],
    ['${EMPTY}', ''],
    ['$${KEY}', '${KEY}'],
    ['$KEY $ {KEY} $', '$KEY $ {KEY} $'],
    ['${REF}', '${KEY}'], // once only
    ['${YAML}', '"} , era: legacy'], // a value cannot add keys
  ];
  for (const [text, expected] of rows) t.equal(headerFrom(t, text, env), expected, text);
});

void t.test('a number or a boolean where one is wanted, and text where text is', async (t) => {
  const yaml = `
listen: { port: "\${PORT}" }
admin: \${ADMIN}
upstreams:
  a: { url: "\${URL}", optional: "\${OPTIONAL}", headers: { X: "\${PORT}" } }
limits: { body: "\${PORT}", sessionIdle: "\${IDLE}", sessions: "\${PORT}" }
`;
  const config = load(t, yaml, { PORT: '8081', ADMIN: 'false', URL: url, OPTIONAL: 'true', IDLE: '2m' });
  t.equal(config.listen.port, 8081);
  t.equal(config.admin, undefined);
  t.equal(config.upstreams.get('a')?.optional, true);
  t.equal(config.upstreams.get('a')?.headers.get('X'), '8081');
  t.equal(config.limits.body, 8081);
  t.equal(config.limits.sessionIdle, 120_000);
  t.equal(config.limits.sessions, 8081);
});

void t.test('a port from the environment is still a port', async (t) => {
  const yaml = `listen:\n  port: \${PORT}\nupstreams: { a: { url: ${url} } }`;
  for (const PORT of ['80800', '-1', '', 'http', '80.5', '0x50', '[80]']) {
    t.match(
      complaints(t, yaml, { PORT }),
      [/^2:9 listen.port: expected a port .*, found the value of \$\{PORT\}$/],
      PORT,
    );
  }
  t.match(complaints(t, yaml.replace('${PORT}', '"8080"')), [/found "8080"/], 'a quoted number is a text');
});

void t.test('keys are no texts', async (t) => {
  t.match(complaints(t, `upstreams: { "\${NAME}": { url: ${url} } }`, { NAME: 'a' }), [/expected a name/]);
});

void t.test('every missing variable is told, with its place, and nothing else of that value', async (t) => {
  const yaml = `listen:\n  port: \${PORT}\n  host: "\${A}\${B}"\nupstreams: { a: { url: "\${URL}" } }\nadmin: \${ADMIN}`;
  t.match(complaints(t, yaml), [
    /^2:9 listen.port: the environment variable PORT is not set/,
    /^3:9 listen.host: the environment variable A is not set/,
    /^3:9 listen.host: the environment variable B is not set/,
    /^4:24 upstreams.a.url: the environment variable URL is not set/,
    /^5:8 admin: the environment variable ADMIN is not set/,
  ]);
  t.equal(complaints(t, yaml).length, 5);
});

void t.test('what is no reference', async (t) => {
  for (const text of ['${}', '${A', '${A-b}', '${1A}', '${A B}', '${A:b}']) {
    t.match(
      complaints(t, `upstreams: { a: { url: ${url}, headers: { X: '${text}' } } }`, { A: 'a' }),
      [/^1:\d+ upstreams.a.headers.X: expected \$\{NAME\} or/],
      text,
    );
  }
});
