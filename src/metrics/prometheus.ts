/** The recorder that counts with prom-client, in a registry of its own: gateways in one process do not meet. */
import { readFileSync } from 'node:fs';
import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import { boundClients, methodClass, revisionClass } from './label-values.js';
import { metrics, prefix, type LabelsOf, type MetricName, type MetricRow, type NamesOf } from './names.js';
import type { ExchangeFacts, Recorder } from './record.js';

/** A recorder, and the way its numbers get out. */
export interface Metrics extends Recorder {
  readonly registry: Registry;
  /** The media type of `render`. */
  readonly contentType: string;
  /** All metrics in the Prometheus text format. */
  render(): Promise<string>;
}

/**
 * Makes the metrics of one gateway.
 * @param options.clientSeries how many clients (name and version) get a series of their own
 */
export function createMetrics(options: { readonly clientSeries: number }): Metrics {
  const registry = new Registry();
  collectProcess(registry);
  const { counter, gauge } = makersFor(registry);

  const sessionsOpen = gauge('sessions_open');
  const sessionsOpened = counter('sessions_opened_total');
  const sessionsEnded = counter('sessions_ended_total');
  const streamsOpen = gauge('streams_open');
  const verdicts = counter('verdicts_total');
  const probes = counter('probes_total');
  const clients = counter('clients_total');
  const clientLabels = boundClients(options.clientSeries);
  gauge('build_info').set({ version: packageVersion(), node: process.versions.node }, 1);

  return {
    registry,
    contentType: registry.contentType,
    render: () => registry.metrics(),
    exchangeEnded: exchangeRecorder(registry),
    sessionOpened: (upstream, kind) => {
      sessionsOpen.inc({ upstream, kind });
      sessionsOpened.inc({ upstream, kind });
    },
    sessionEnded: (upstream, kind, reason) => {
      sessionsOpen.dec({ upstream, kind });
      sessionsEnded.inc({ upstream, kind, reason });
    },
    streamOpened: (upstream, kind) => {
      streamsOpen.inc({ upstream, kind });
      return () => streamsOpen.dec({ upstream, kind });
    },
    verdict: (upstream, speaks) => verdicts.inc({ upstream, speaks }),
    probed: (upstream, result) => probes.inc({ upstream, result }),
    clientSeen: (name, version, era) => clients.inc({ ...clientLabels(name, version), era }),
  };
}

/** The children that one kind of exchange writes to, bound once. */
interface ExchangeChildren {
  readonly requests: { inc(): void };
  readonly total: { observe(seconds: number): void };
  readonly upstream: { observe(seconds: number): void };
  readonly own: { observe(seconds: number): void };
}

/**
 * The hot path: every exchange comes by here. Children are looked up by one short string, since prom-client's own
 * look-up by labels is the dearer part of an observation. The map is as bounded as the label values are.
 */
function exchangeRecorder(registry: Registry): (facts: ExchangeFacts) => void {
  const { counter, histogram } = makersFor(registry);
  const requests = counter('requests_total');
  const total = histogram('request_duration_seconds');
  const upstream = histogram('upstream_duration_seconds');
  const own = histogram('gateway_duration_seconds');
  const refusals = counter('refusals_total');
  const bound = new Map<string, ExchangeChildren>();

  return (facts) => {
    const method = methodClass(facts.method);
    const revision = revisionClass(facts.revision);
    const key = `${facts.upstream} ${facts.clientEra} ${facts.upstreamEra} ${revision} ${method} ${facts.outcome}`;
    let children = bound.get(key);
    if (children === undefined) {
      const pair = { upstream: facts.upstream, client_era: facts.clientEra, upstream_era: facts.upstreamEra };
      const all = { ...pair, revision, method, outcome: facts.outcome };
      children = {
        requests: requests.labels(all),
        total: total.labels(all),
        upstream: upstream.labels(pair),
        own: own.labels(pair),
      };
      bound.set(key, children);
    }
    children.requests.inc();
    children.total.observe(facts.totalMs / 1000);
    if (facts.upstreamMs !== undefined) {
      children.upstream.observe(facts.upstreamMs / 1000);
      // Two clock readings cannot be ordered to the last bit: never less than nothing.
      children.own.observe(Math.max(0, facts.totalMs - facts.upstreamMs) / 1000);
    }
    if (facts.cell !== undefined) refusals.inc({ cell: facts.cell, upstream: facts.upstream });
  };
}

/** Makes metrics from their rows in the table, registered in `registry`. */
function makersFor(registry: Registry) {
  const common = <Name extends MetricName>(name: Name) => ({
    name: prefix + name,
    help: metrics[name].help,
    labelNames: metrics[name].labels as readonly LabelsOf<Name>[],
    registers: [registry],
  });
  return {
    counter: <Name extends NamesOf<'counter'>>(name: Name) => new Counter<LabelsOf<Name>>(common(name)),
    gauge: <Name extends NamesOf<'gauge'>>(name: Name) => new Gauge<LabelsOf<Name>>(common(name)),
    histogram: <Name extends NamesOf<'histogram'>>(name: Name) => {
      const row: MetricRow = metrics[name];
      return new Histogram<LabelsOf<Name>>({ ...common(name), buckets: [...(row.buckets ?? [])] });
    },
  };
}

/**
 * prom-client's `process_*` and `nodejs_*`, without three gauges that it names `…_total`: `promtool check metrics`
 * rightly objects, and `nodejs_active_resources` says the same by type.
 */
function collectProcess(registry: Registry): void {
  collectDefaultMetrics({ register: registry });
  for (const of of ['handles', 'requests', 'resources']) registry.removeSingleMetric(`nodejs_active_${of}_total`);
}

/** The version in package.json, which stands at the same distance from src/metrics and from dist/metrics. */
function packageVersion(): string {
  const file = new URL('../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
