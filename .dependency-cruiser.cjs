/**
 * The arrows of the design: main → server → edge → passthrough, translate → tasks, sessions, upstreams, era → wire.
 * `npm run arrows` checks them; docs/adr tells why.
 */
const only = (name, from, allowed, comment) => ({
  name,
  comment,
  severity: 'error',
  from: { path: `^src/${from}` },
  to: { path: '^src/', pathNot: [`^src/${from}`, ...allowed.map((a) => `^src/${a}`)] },
});

module.exports = {
  forbidden: [
    only('wire-stands-alone', 'wire/', [], 'wire is bytes and shapes: it imports nothing of ours'),
    only('errors-stand-alone', 'errors\\.ts', [], 'the table of errors imports nothing of ours'),
    only('http-knows-no-mcp', 'http/', ['errors\\.ts'], 'http knows nothing of MCP'),
    only(
      'passthrough-is-the-hot-path',
      'passthrough/',
      ['wire/', 'http/', 'upstreams/', 'errors\\.ts', 'edge/exchange\\.ts'],
      'same-era traffic never loads translation, tasks or sessions',
    ),
    only(
      'era-below',
      'era/',
      ['wire/', 'upstreams/', 'errors\\.ts', 'config/types\\.ts', 'metrics/record\\.ts'],
      'era knows upstreams and wire only',
    ),
    only(
      'upstreams-below',
      'upstreams/',
      ['wire/', 'http/', 'errors\\.ts', 'config/types\\.ts'],
      'upstreams know no translation',
    ),
    only(
      'sessions-below',
      'sessions/',
      ['wire/', 'errors\\.ts', 'config/types\\.ts', 'metrics/record\\.ts'],
      'sessions know no translation',
    ),
    only(
      'translate-above',
      'translate/',
      [
        'wire/',
        'http/',
        'upstreams/',
        'sessions/',
        'era/',
        'tasks/',
        'errors\\.ts',
        'edge/exchange\\.ts',
        'metrics/record\\.ts',
        'config/types\\.ts',
      ],
      'translation does not reach up into the server',
    ),
    only(
      'metrics-aside',
      'metrics/',
      ['wire/meta-keys\\.ts', 'errors\\.ts', 'config/types\\.ts'],
      'metrics only record',
    ),
    {
      name: 'pure-functions',
      comment: 'detectors and classifiers do no I/O',
      severity: 'error',
      from: { path: '^src/(era/(detect-client|classify-probe)|translate/.*/map-.*)\\.ts' },
      to: { path: '^(node:)?(http|https|net|fs|dns|timers)|node_modules/undici' },
    },
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-orphans',
      severity: 'error',
      from: { orphan: true, path: '^src/', pathNot: '^src/(main|cli/index)\\.ts' },
      to: {},
    },
    {
      name: 'no-dev-dependencies',
      severity: 'error',
      from: { path: '^src/' },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'unknown'] },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'types', 'default'] },
  },
};
