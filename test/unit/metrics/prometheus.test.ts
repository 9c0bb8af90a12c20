import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import t from 'tap';
import { metrics as table, prefix } from '../../../src/metrics/names.js';
import { createMetrics, type Metrics } from '../../../src/metrics/prometheus.js';
import type { ExchangeFacts } from '../../../src/metrics/record.js';

const exchange: ExchangeFacts = {
  upstream: 'weather',
  clientEra: 'legacy',
  upstreamEra: 'modern',
  revision: '2025-06-18',
  method: 'tools/call',
  outcome: 'ok',
  cell: undefined,
  totalMs: 30,
  upstreamMs: 29.7,
};

/** Everything that a gateway records, once. */
function recordAll(metrics: Metrics): void {
  metrics.exchangeEnded(exchange);
  metrics.exchangeEnded({ ...exchange, outcome: 'refused', cell: 'upstream-timeout' });
  metrics.sessionOpened('weather', 'translated');
  metrics.sessionOpened('weather', 'translated');
  metrics.sessionEnded('weather', 'translated', 'idle');
  metrics.streamOpened('weather', 'get');
  metrics.verdict('weather', 'modern');
  metrics.probed('weather', 'modern');
  metrics.probed('weather', 'upstream-unreachable');
  metrics.clientSeen('claude "code"\\', '1.0\n', 'legacy');
}

/** The value of one sample, by its name and labels in any order; undefined if there is none. */
async function sample(metrics: Metrics, name: string, labels: Record<string, string>): Promise<number | undefined> {
  for (const line of (await metrics.render()).split('\n')) {
    const match = /^(\w+)\{(.*)\} (\S+)$/.exec(line);
    if (match?.[1] !== prefix + name) continue;
    const found = Object.fromEntries(
      [...(match[2] ?? '').matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map((m) => [m[1], m[2]]),
    );
    const wanted = Object.entries(labels);
    if (Object.keys(found).length === wanted.length && wanted.every(([key, value]) => found[key] === value)) {
      return Number(match[3]);
    }
  }
  return undefined;
}

const pair = { upstream: 'weather', client_era: 'legacy', upstream_era: 'modern' };
const all = { ...pair, revision: '2025-06-18', method: 'tools/call', outcome: 'ok' };

void t.test('an exchange counts once, with its time split into the upstream’s and the gateway’s own', async (t) => {
  const metrics = createMetrics({ clientSeries: 5 });
  metrics.exchangeEnded(exchange);
  metrics.exchangeEnded(exchange);
  t.equal(await sample(metrics, 'requests_total', all), 2);
  t.equal(await sample(metrics, 'request_duration_seconds_count', all), 2);
  t.equal(await sample(metrics, 'request_duration_seconds_bucket', { ...all, le: '0.025' }), 0);
  t.equal(await sample(metrics, 'request_duration_seconds_bucket', { ...all, le: '0.05' }), 2);
  t.equal(await sample(metrics, 'upstream_duration_seconds_sum', pair), 0.0594);
  const own = await sample(metrics, 'gateway_duration_seconds_sum', pair);
  t.ok(own !== undefined && Math.abs(own - 0.0006) < 1e-9, 'total less upstream');
});

void t.test('an exchange that never went up has no upstream time and no own time', async (t) => {
  const metrics = createMetrics({ clientSeries: 5 });
  metrics.exchangeEnded({ ...exchange, upstreamMs: undefined });
  t.equal(await sample(metrics, 'requests_total', all), 1);
  t.equal(await sample(metrics, 'upstream_duration_seconds_count', pair), undefined);
  t.equal(await sample(metrics, 'gateway_duration_seconds_count', pair), undefined);
});

void t.test('clock readings out of order never make a negative time', async (t) => {
  const metrics = createMetrics({ clientSeries: 5 });
  metrics.exchangeEnded({ ...exchange, totalMs: 10, upstreamMs: 10.001 });
  t.equal(await sample(metrics, 'gateway_duration_seconds_sum', pair), 0);
});

void t.test('a refusal is counted by cell and upstream', async (t) => {
  const metrics = createMetrics({ clientSeries: 5 });
  recordAll(metrics);
  t.equal(await sample(metrics, 'refusals_total', { cell: 'upstream-timeout', upstream: 'weather' }), 1);
  t.equal(await sample(metrics, 'requests_total', { ...all, outcome: 'refused' }), 1);
});

void t.test('what clients make up does not make series', async (t) => {
  const metrics = createMetrics({ clientSeries: 3 });
  metrics.exchangeEnded(exchange);
  metrics.clientSeen('a', '0', 'modern');
  const lines = async () => (await metrics.render()).split('\n').filter((line) => line.startsWith(prefix)).length;
  const before = await lines();
  for (let i = 0; i < 1000; i++) {
    metrics.exchangeEnded({ ...exchange, method: `m${i}`, revision: `r${i}` });
    metrics.clientSeen(`a${i}`, `${i}`, 'modern');
  }
  const exchangeSeries = 1 + 1 + 2 + 16; // counter, +Inf, sum and count, buckets
  const clientSeries = 2 + 1; // two more of their own, and `other`
  t.equal(await lines(), before + exchangeSeries + clientSeries);
  t.equal(await sample(metrics, 'clients_total', { name: 'other', version: 'other', era: 'modern' }), 998);
  t.equal(await sample(metrics, 'requests_total', { ...all, method: 'other', revision: 'other' }), 1000);
});

void t.test('gauges go up and down', async (t) => {
  const metrics = createMetrics({ clientSeries: 5 });
  metrics.sessionOpened('weather', 'translated');
  metrics.sessionOpened('weather', 'forwarded');
  metrics.sessionEnded('weather', 'translated', 'deleted');
  t.equal(await sample(metrics, 'sessions_open', { upstream: 'weather', kind: 'translated' }), 0);
  t.equal(await sample(metrics, 'sessions_open', { upstream: 'weather', kind: 'forwarded' }), 1);
  const ended = { upstream: 'weather', kind: 'translated', reason: 'deleted' };
  t.equal(await sample(metrics, 'sessions_ended_total', ended), 1);

  const closed = metrics.streamOpened('weather', 'call');
  metrics.streamOpened('weather', 'call');
  t.equal(await sample(metrics, 'streams_open', { upstream: 'weather', kind: 'call' }), 2);
  closed();
  t.equal(await sample(metrics, 'streams_open', { upstream: 'weather', kind: 'call' }), 1);
});

void t.test('two gateways in one process count apart', async (t) => {
  const [one, two] = [createMetrics({ clientSeries: 5 }), createMetrics({ clientSeries: 5 })];
  one.exchangeEnded(exchange);
  t.equal(await sample(one, 'requests_total', all), 1);
  t.equal(await sample(two, 'requests_total', all), undefined);
});

void t.test('the registry holds exactly the table, and the metrics of the process', async (t) => {
  const registered = createMetrics({ clientSeries: 5 }).registry.getMetricsAsArray();
  const ours = registered.filter(({ name }) => name.startsWith(prefix));
  t.same(
    ours.map(({ name }) => name).sort(),
    Object.keys(table)
      .map((name) => prefix + name)
      .sort(),
  );
  for (const name of ['process_cpu_seconds_total', 'process_resident_memory_bytes', 'nodejs_eventloop_lag_seconds']) {
    t.ok(
      registered.some((metric) => metric.name === name),
      name,
    );
  }
});

void t.test('the build is named', async (t) => {
  const text = await createMetrics({ clientSeries: 5 }).render();
  t.match(
    text,
    new RegExp(
      `^mcp_resilience_build_info\\{version="\\d+\\.\\d+\\.\\d+.*",node="${process.versions.node}"\\} 1$`,
      'm',
    ),
  );
});

const promtool = '/usr/bin/promtool';
const missing =
  !existsSync(promtool) && 'promtool is not installed: apt-get install --no-install-recommends prometheus';
void t.test('promtool finds nothing to object to', { skip: process.env.CI === 'true' ? false : missing }, async (t) => {
  const metrics = createMetrics({ clientSeries: 5 });
  recordAll(metrics);
  const check = spawnSync(promtool, ['check', 'metrics'], { input: await metrics.render(), encoding: 'utf8' });
  t.equal(check.error, undefined);
  t.equal(check.stdout + check.stderr, '');
  t.equal(check.status, 0);
});
