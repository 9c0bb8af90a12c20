/** A real Prometheus (Debian's) scrapes the admin port, and its own API says what it understood. */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { startAdmin } from '../../src/admin.js';
import { createMetrics } from '../../src/metrics/prometheus.js';
import type { ExchangeFacts } from '../../src/metrics/record.js';

const binary = '/usr/bin/prometheus';
const root = fileURLToPath(new URL('../..', import.meta.url));

// Where the tests count (CI=true) a missing binary is a failure, not a hole.
const absent = !existsSync(binary) && `no ${binary}: apt-get install --no-install-recommends prometheus`;
const skip = process.env.CI === 'true' ? false : absent;

const deadline = 30_000;

const exchange: ExchangeFacts = {
  upstream: 'weather',
  clientEra: 'legacy',
  upstreamEra: 'modern',
  revision: '2025-06-18',
  method: 'tools/call',
  outcome: 'ok',
  cell: undefined,
  totalMs: 30,
  upstreamMs: 29,
};

/** Starts Prometheus on a free port of loopback, scraping `target` every second; its base URL. */
async function startPrometheus(t: Test, target: string): Promise<string> {
  const directory = t.testdir({
    'prometheus.yml': [
      'global: { scrape_interval: 1s }',
      'scrape_configs:',
      `  - { job_name: gateway, static_configs: [{ targets: ['${target}'] }] }`,
    ].join('\n'),
  });
  const config = join(directory, 'prometheus.yml');
  const data = join(directory, 'data');
  const child = spawn(
    binary,
    [`--config.file=${config}`, `--storage.tsdb.path=${data}`, '--web.listen-address=127.0.0.1:0'],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const exited = new Promise<void>((resolve) => child.once('close', () => resolve()));
  // SIGKILL after a while: a teardown must not hang on a Prometheus that compacts.
  t.teardown(async () => {
    child.kill();
    const hard = setTimeout(() => child.kill('SIGKILL'), 5000);
    await exited;
    clearTimeout(hard);
  });
  const said: string[] = [];
  for await (const line of createInterface({ input: child.stderr })) {
    said.push(line);
    const address = /msg="Listening on" address=(\S+)/.exec(line)?.[1];
    if (address !== undefined) {
      child.stderr.resume();
      return `http://${address}`;
    }
  }
  throw new Error(`Prometheus did not start:\n${said.join('\n')}`);
}

/** Asks until the instant query has one sample with the value wanted; the last answer if the deadline passes. */
async function waitFor(prometheus: string, query: string, wanted: number): Promise<number | undefined> {
  const until = performance.now() + deadline;
  let value: number | undefined;
  while (performance.now() < until) {
    value = await ask(prometheus, query);
    if (value === wanted) break;
    await sleep(200);
  }
  return value;
}

async function ask(prometheus: string, query: string): Promise<number | undefined> {
  const answer = await fetch(`${prometheus}/api/v1/query?query=${encodeURIComponent(query)}`);
  if (!answer.ok) return undefined; // 503 until its storage is open
  const { data } = (await answer.json()) as { data: { result: { value: [number, string] }[] } };
  const sample = data.result[0];
  return data.result.length === 1 && sample !== undefined ? Number(sample.value[1]) : undefined;
}

void t.test('Prometheus scrapes the gateway and reads our numbers', { skip, timeout: 4 * deadline }, async (t) => {
  const metrics = createMetrics({ clientSeries: 5 });
  const ready = () => ({ ready: true, waitingFor: [] });
  const admin = await startAdmin({ host: '127.0.0.1', port: 0, metrics, ready });
  t.teardown(() => admin.close());
  for (let i = 0; i < 7; i++) metrics.exchangeEnded(exchange);
  metrics.exchangeEnded({ ...exchange, outcome: 'refused', cell: 'session-unknown' });
  metrics.clientSeen('quoted "client"\\\n', '1', 'modern');

  const prometheus = await startPrometheus(t, new URL(admin.address).host);
  t.equal(await waitFor(prometheus, 'up{job="gateway"}', 1), 1, 'up');

  const ok =
    'mcp_resilience_requests_total{method="tools/call",client_era="legacy",upstream_era="modern",outcome="ok"}';
  t.equal(await waitFor(prometheus, ok, 7), 7);
  t.equal(await ask(prometheus, 'sum(mcp_resilience_refusals_total{cell="session-unknown"})'), 1);
  t.equal(await ask(prometheus, String.raw`mcp_resilience_clients_total{name="quoted \"client\"\\?"}`), 1);
  const slowest = 'histogram_quantile(1, sum by (le) (mcp_resilience_request_duration_seconds_bucket))';
  t.equal(await ask(prometheus, slowest), 0.05, 'the bucket of 30 ms');

  metrics.exchangeEnded(exchange);
  t.equal(await waitFor(prometheus, ok, 8), 8, 'and what is counted later');
});

void t.test('the scrape configuration of the compose demo is a valid one', { skip }, async (t) => {
  const check = spawnSync('/usr/bin/promtool', ['check', 'config', join(root, 'docker/prometheus.yml')], {
    encoding: 'utf8',
  });
  t.equal(check.status, 0, check.stdout + check.stderr);
});
