import t from 'tap';
import { describeConfig, loadConfig } from '../../../src/config/load.js';
import { complaints, load, problemsOf } from './files.js';

const url = 'http://127.0.0.1:3001/mcp';

void t.test('one upstream and nothing else: the defaults', async (t) => {
  const config = load(t, `upstreams: { weather: { url: ${url} } }`);
  t.strictSame(config, {
    listen: { host: '127.0.0.1', port: 8080 },
    publicUrl: undefined,
    admin: { host: '127.0.0.1', port: 9464 },
    upstreams: new Map([
      [
        'weather',
        {
          name: 'weather',
          url: new URL(url),
          paths: ['/weather/mcp', '/mcp'],
          era: 'auto',
          optional: false,
          headers: new Map(),
          timeouts: { connect: 2_000, firstByte: 60_000, idle: 300_000 },
          verdictTtl: 300_000,
        },
      ],
    ]),
    allow: { hosts: [], origins: [] },
    limits: {
      body: 4_194_304,
      forwardedBody: Infinity,
      bodyTimeout: 30_000,
      headerTimeout: 10_000,
      sessions: 10_000,
      sessionIdle: 1_800_000,
      sessionAge: 86_400_000,
      detachedCall: 300_000,
      input: 600_000,
      clientSeries: 50,
    },
    log: { level: 'info', format: process.stdout.isTTY ? 'pretty' : 'json' },
    shutdownGrace: 10_000,
  });
});

void t.test('everything set', async (t) => {
  const config = load(
    t,
    `
listen: { host: "::", port: 0 }
publicUrl: https://mcp.example.com/base
admin: false
upstreams:
  weather:
    url: https://weather.example.com/mcp?tenant=7
    path: /w/mcp/
    era: legacy
    optional: true
    headers: { X-Api-Key: abc, Authorization: Bearer xyz }
    timeouts: { connect: 1s, firstByte: 1m30s, idle: 1h }
    verdictTtl: 30s
  other: { url: ${url} }
allow: { hosts: [MCP.example.com, "[::1]:8080"], origins: [https://app.example.com, "vscode-webview://abc"] }
limits: { body: 1MB, bodyTimeout: 1s, headerTimeout: 2s, sessions: 3, sessionIdle: 4m, sessionAge: 2h, detachedCall: 5s, input: 7s, clientSeries: 6 }
log: { level: debug, format: pretty }
shutdown: { grace: 500ms }
`,
  );
  t.strictSame(config, {
    listen: { host: '::', port: 0 },
    publicUrl: new URL('https://mcp.example.com/base'),
    admin: undefined,
    upstreams: new Map([
      [
        'weather',
        {
          name: 'weather',
          url: new URL('https://weather.example.com/mcp?tenant=7'),
          paths: ['/w/mcp'],
          era: 'legacy',
          optional: true,
          headers: new Map([
            ['X-Api-Key', 'abc'],
            ['Authorization', 'Bearer xyz'],
          ]),
          timeouts: { connect: 1_000, firstByte: 90_000, idle: 3_600_000 },
          verdictTtl: 30_000,
        },
      ],
      [
        'other',
        {
          name: 'other',
          url: new URL(url),
          paths: ['/other/mcp'],
          era: 'auto',
          optional: false,
          headers: new Map(),
          timeouts: { connect: 2_000, firstByte: 60_000, idle: 300_000 },
          verdictTtl: 300_000,
        },
      ],
    ]),
    allow: { hosts: ['mcp.example.com', '[::1]:8080'], origins: ['https://app.example.com', 'vscode-webview://abc'] },
    limits: {
      body: 1_000_000,
      forwardedBody: 1_000_000,
      bodyTimeout: 1_000,
      headerTimeout: 2_000,
      sessions: 3,
      sessionIdle: 240_000,
      sessionAge: 7_200_000,
      detachedCall: 5_000,
      input: 7_000,
      clientSeries: 6,
    },
    log: { level: 'debug', format: 'pretty' },
    shutdownGrace: 500,
  });
});

void t.test('half an address takes the other half from the defaults', async (t) => {
  const { listen, admin } = load(t, `listen: { port: 1 }\nadmin: { host: "::1" }\nupstreams: { a: { url: ${url} } }`);
  t.strictSame(
    [listen, admin],
    [
      { host: '127.0.0.1', port: 1 },
      { host: '::1', port: 9464 },
    ],
  );
});

void t.test('a single upstream at /mcp has that path once', async (t) => {
  const { upstreams } = load(t, `upstreams: { a: { url: ${url}, path: /mcp } }`);
  t.strictSame(upstreams.get('a')?.paths, ['/mcp']);
});

void t.test('anchors and aliases share settings, and their problems have a place', async (t) => {
  const yaml = (grace: string): string => `
upstreams:
  a: { url: ${url}, timeouts: &patient { idle: ${grace} } }
  b: { url: ${url}, timeouts: *patient }
`;
  const { upstreams } = load(t, yaml('1h'));
  t.equal(upstreams.get('b')?.timeouts.idle, 3_600_000);
  t.match(complaints(t, yaml('1x')), [/^3:\d+ upstreams.a.timeouts.idle: /, /^3:\d+ upstreams.b.timeouts.idle: /]);
});

void t.test('names that JavaScript objects have of their own', async (t) => {
  const { upstreams } = load(t, `upstreams: { constructor: { url: ${url} }, toString: { url: ${url} } }`);
  t.strictSame([...upstreams.keys()], ['constructor', 'toString']);
  t.match(complaints(t, `upstreams: { a: { url: ${url} } }\n__proto__: { listen: 1 }`), [
    /^2:1 __proto__: unknown key/,
  ]);
  t.match(complaints(t, `upstreams: { __proto__: { url: ${url} } }`), [/^1:14 upstreams.__proto__: expected a name/]);
});

void t.test('a number as a name is a name, and stands once', async (t) => {
  t.strictSame([...load(t, `upstreams: { 1: { url: ${url} } }`).upstreams.keys()], ['1']);
  t.match(complaints(t, `upstreams: { 1: { url: ${url} }, "1": { url: ${url} } }`), [/stands twice/]);
});

void t.test('paths', async (t) => {
  const verdict = (path: string): boolean =>
    complaints(t, `upstreams: { a: { url: ${url}, path: "${path}" } }`).length === 0;
  for (const path of ['/', '/a', '/a/', '/a/b.c/~d-e_f', '/...']) t.ok(verdict(path), path);
  for (const path of [
    '',
    'a',
    '//',
    '/a//b',
    '/a b',
    '/a?b',
    '/a#b',
    '/..',
    '/a/../b',
    '/a/.',
    '/:id',
    '/*',
    '/ä',
    '/%61',
  ]) {
    t.notOk(verdict(path), path);
  }
});

void t.test('hosts and origins', async (t) => {
  const allows = (allow: object): boolean =>
    complaints(t, `upstreams: { a: { url: ${url} } }\nallow: ${JSON.stringify(allow)}`).length === 0;
  for (const host of ['h', 'a_b.example', 'h.example:8443', '[::1]', '[::1]:80', '127.0.0.1', '*']) {
    t.ok(allows({ hosts: [host] }), host);
  }
  for (const host of ['', 'https://h', 'h/', '::1', '*.example.com', 'h:', 'a b'])
    t.notOk(allows({ hosts: [host] }), host);
  for (const origin of ['https://h', 'http://h:8080', 'http://[::1]:3000', 'chrome-extension://abc', '*']) {
    t.ok(allows({ origins: [origin] }), origin);
  }
  for (const origin of [
    '',
    'h',
    'null',
    'https://h/',
    'https://h:443',
    'https://H',
    'https://u@h',
    'https://*.h.example/',
  ]) {
    t.notOk(allows({ origins: [origin] }), origin);
  }
});

void t.test('the configurations that come with the images', async (t) => {
  for (const file of ['gateway.yaml', 'demo.yaml']) t.ok(loadConfig(`docker/${file}`, {}).upstreams.size > 0, file);
});

void t.test('a second document, a tab, an unknown tag, an alias of nothing', async (t) => {
  t.match(complaints(t, `upstreams: { a: { url: ${url} } }\n---\n{}`), [/^2:1 : .*second document/]);
  t.match(complaints(t, `upstreams:\n\ta: { url: ${url} }`), [/^2:1 \S*: .*tab/]);
  t.match(complaints(t, `upstreams: { a: { url: !secret ${url} } }`), [/^1:24 upstreams.a.url: .*tag is unknown/]);
  t.match(complaints(t, `upstreams: { a: { url: *s3cr3t } }`), [/^1:24 upstreams.a.url: .*alias/]);
});

void t.test('one slip in the syntax is one problem', async (t) => {
  t.match(complaints(t, 'upstreams: { a: { url: ${A_URL} } }\nlisten: { port: 1 }'), [
    /^1:25 upstreams.a.url: .*"\$\{NAME\}" must stand in quotes/,
  ]);
  t.equal(complaints(t, 'upstreams: { a: { url: ${A_URL} } }\nlisten: { port: 1 }').length, 1);
});

void t.test('nothing in the file, or no mapping', async (t) => {
  t.match(complaints(t, ''), [/^1:1 : the key "upstreams" is missing/]);
  t.match(complaints(t, '- a\n- b'), [/^1:1 : expected a mapping such as .*, found a list/]);
  t.match(complaints(t, 'upstreams: {}'), [/^1:12 upstreams: expected a mapping of names to upstreams, at least one/]);
});

void t.test('aliases of aliases do not blow up', async (t) => {
  const levels = Array.from({ length: 12 }, (_, i) => `x${i + 1}: &x${i + 1} [${`*x${i}, `.repeat(9)}*x${i}]`);
  t.match(complaints(t, `x0: &x0 [a]\n${levels.join('\n')}`), [/too many \*aliases/]);
});

void t.test('a file that cannot be read', async (t) => {
  const dir = t.testdir({});
  t.match(
    problemsOf(() => loadConfig(`${dir}/none.yaml`)),
    [{ file: `${dir}/none.yaml`, key: '', message: 'there is no such file' }],
  );
  t.match(
    problemsOf(() => loadConfig(dir)),
    [{ message: /directory/ }],
  );
});

void t.test('the description can be loaded again, and comes to the same', async (t) => {
  const config = loadConfig('config/example.yaml', {});
  const again = load(t, describeConfig(config).replaceAll('***', 'example'));
  t.strictSame(again, config);
});
