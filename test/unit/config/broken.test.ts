/** Deliberately broken files: every problem is told, each with its line and key, in the order of the file. */
import { readdirSync, readFileSync } from 'node:fs';
import t from 'tap';
import { formatProblem, loadConfig } from '../../../src/config/load.js';
import { problemsOf } from './files.js';

const folder = 'test/unit/config/broken';

type Expected = readonly [line: number, column: number, key: string, message: RegExp];

const files: Record<string, readonly Expected[]> = {
  '01-unclosed-quote.yaml': [
    [7, 22, 'upstreams.weather.headers.Authorization', /quote that opens here is never closed/],
  ],
  '02-duplicate-key.yaml': [[5, 5, 'upstreams.weather.url', /stands twice/]],
  '03-unknown-keys.yaml': [
    [
      1,
      1,
      'lisen',
      /unknown key "lisen"; did you mean "listen"\? \(allowed here: listen, publicUrl, admin, upstreams,/,
    ],
    [5, 5, 'upstreams.weather.timeout', /did you mean "timeouts"\? \(allowed here: url, path, era,/],
    [7, 3, 'limits.Body', /did you mean "body"\?/],
  ],
  '04-wrong-types.yaml': [
    [3, 9, 'listen.port', /expected a port from 0 to 65535.*, found "8080"/],
    [6, 10, 'upstreams.weather.url', /expected an http:\/\/ or https:\/\/ URL.*, found a list/],
    [7, 15, 'upstreams.weather.optional', /expected true or false, found "maybe"/],
    [8, 14, 'upstreams.weather.headers', /expected a mapping of header names to texts, found \*\*\*/],
    [10, 10, 'allow.hosts', /expected a list, found "mcp.example.com"/],
    [11, 8, 'admin', /expected false, or a mapping with the keys host and port, found true/],
  ],
  '05-bad-words.yaml': [
    [4, 10, 'upstreams.weather.era', /one of auto, modern, legacy, both, found "moderm"; did you mean modern\?/],
    [6, 10, 'log.level', /one of fatal, error, warn, info, debug, trace, silent, found "verbose"$/],
    [7, 11, 'log.format', /one of json, pretty, found "JSON"; did you mean json\?/],
  ],
  '06-bad-units.yaml': [
    [5, 16, 'upstreams.weather.timeouts.connect', /expected a duration such as 500ms, 2s, 5m or 1h30m, found 2$/],
    [6, 18, 'upstreams.weather.timeouts.firstByte', /expected a duration .*, found "1 minute"/],
    [7, 13, 'upstreams.weather.timeouts.idle', /expected a duration .*, found "30d"/],
    [9, 9, 'limits.body', /expected a size such as 4MiB, 4MB, 512KiB or a number of bytes, found "4 megs"/],
    [10, 16, 'limits.sessionIdle', /longer than nothing, found "0s"/],
    [11, 13, 'limits.sessions', /expected a whole number from 1, found 0/],
  ],
  '07-bad-addresses.yaml': [
    [1, 17, 'listen.host', /expected a host name or an IP address .*, found "\[::1\]"/],
    [1, 32, 'listen.port', /expected a port from 0 to 65535.*, found 80800/],
    [2, 12, 'publicUrl', /URL such as https:\/\/mcp.example.com, found "mcp.example.com"/],
    [5, 10, 'upstreams.a.url', /expected an http:\/\/ or https:\/\/ URL .*, found "ftp:/],
    [
      7,
      10,
      'upstreams.b.url',
      /must not hold a user name or password.*, found "https:\/\/\*\*\*@mcp.example.com\/mcp"/,
    ],
    [10, 11, 'upstreams.c.path', /begins with \/.*, found "weather\/mcp"/],
    [11, 3, 'upstreams["d/e"]', /a name that can stand in a path.*, found "d\/e"/],
    [14, 13, 'allow.origins[0]', /no path, no default port, found "https:\/\/app.example.com\/"/],
  ],
  '08-bad-headers.yaml': [
    [5, 7, 'upstreams.weather.headers.Transfer-Encoding', /belongs to one connection/],
    [6, 7, 'upstreams.weather.headers["X…"]', /illegal header name/],
    [7, 20, 'upstreams.weather.headers.X-Two-Lines', /must not hold a line break, found \*\*\*/],
    [8, 17, 'upstreams.weather.headers.X-Number', /expected a text \(put a number into quotes\), found \*\*\*/],
    [9, 7, 'upstreams.weather.headers.Mcp-Session-Id', /is computed for every message/],
    [11, 7, 'upstreams.weather.headers.x-api-key', /X-Api-Key stands before already/],
  ],
  '09-same-path.yaml': [
    [1, 34, 'listen.port', /listen and admin are both at 127.0.0.1, port 9464/],
    [7, 11, 'upstreams.forecast.path', /"weather" is served at \/weather\/mcp already/],
  ],
  '10-missing.yaml': [
    [2, 9, 'listen.port', /variable MCP_TEST_MISSING_PORT is not set.*\$\{MCP_TEST_MISSING_PORT:-default\}/],
    [4, 3, 'upstreams.weather', /the key "url" is missing/],
    [6, 18, 'upstreams.weather.headers.X-Api-Key', /variable MCP_TEST_MISSING_KEY is not set/],
    [7, 16, 'upstreams.weather.headers.X-Other', /expected \$\{NAME\} or \$\{NAME:-default\}/],
    [8, 9, 'upstreams.empty', /expected a mapping such as .*, found nothing/],
  ],
  '11-no-upstreams.yaml': [[2, 1, '', /the key "upstreams" is missing; expected a mapping such as \{ upstreams:/]],
};

t.strictSame(readdirSync(folder).sort(), Object.keys(files), 'every broken file is in the table');

for (const [name, expected] of Object.entries(files)) {
  void t.test(name, async (t) => {
    const file = `${folder}/${name}`;
    const problems = problemsOf(() => loadConfig(file, {}));
    t.strictSame(
      problems.map(({ file, line, column, key }) => [file, line, column, key]),
      expected.map(([line, column, key]) => [file, line, column, key]),
    );
    for (const [index, [line, column, key, message]] of expected.entries()) {
      const problem = problems[index];
      t.match(problem?.message, message);
      const where = key === '' ? '' : ` ${key}`;
      t.equal(problem && formatProblem(problem), `${file}:${line}:${column}${where}: ${problem?.message}`);
    }
    // Every secret in these files is called so, and none may come out.
    t.notMatch(JSON.stringify(problems), /s3cr3t/);
  });
}

void t.test('the broken files do hold secrets', async (t) => {
  const texts = Object.keys(files).map((name) => readFileSync(`${folder}/${name}`, 'utf8'));
  t.equal(texts.filter((text) => text.includes('s3cr3t')).length, 4);
});
