/**
 * Every metric and every label of the gateway, in one table each; docs/metrics.md is generated from them.
 * Names carry the prefix `mcp_resilience_`; base units and suffixes follow the Prometheus naming rules.
 */

/** Stands before every name of the table. */
export const prefix = 'mcp_resilience_';

/** From a fast answer on loopback to a call that streams for minutes; seconds. */
const callBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];
/** The gateway's own time is well under a millisecond when nothing is wrong; seconds. */
const ownBuckets = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];

/** What each label says, and the values it can have. What clients send never becomes a value unbounded or uncleaned. */
export const labels = {
  upstream: 'The name of the upstream in the configuration, or `none` where a request was meant for none of them.',
  client_era:
    'What the client spoke: `legacy`, `modern`, or `unknown` where the message was refused before that was known.',
  upstream_era: 'What the upstream speaks: `legacy`, `modern`, `both`, or `unknown` where the upstream was not asked.',
  revision: 'The protocol revision on the client side: a known one, `other`, or `none` where none was named.',
  method:
    'The JSON-RPC method: a request method of any known revision, `notifications` for all of `notifications/*`, ' +
    '`other`, or `none` where a message has no method (a response, a GET, a DELETE) or was not read.',
  outcome: 'How the exchange ended: `ok`, `refused`, `client-gone`, `upstream-error` or `failed`.',
  cell: 'The reason for a refusal, a row of [errors.md](errors.md).',
  kind:
    'Of a session: `translated` (kept here) or `forwarded` (kept by the upstream). ' +
    'Of a stream: `call` (the answer to a request), `get` or `listen`.',
  reason: 'Why a session ended: `deleted` by its client, `idle`, `aged`, `upstream-lost` or `shutdown`.',
  speaks: 'What an upstream was found to speak: `legacy`, `modern` or `both`.',
  result: 'What a probe found: `legacy`, `modern`, `both`, or the cell that says why it found nothing.',
  name: 'The name in `clientInfo`, cleaned; `other` beyond the bound `limits.clientSeries`.',
  version: 'The version in `clientInfo`, cleaned; in `mcp_resilience_build_info` the version of the gateway.',
  era: 'The era of the client.',
  node: 'The version of Node.js.',
} as const;

/** A label of the table. */
export type Label = keyof typeof labels;

/** One row: what is measured, and by what. */
export interface MetricRow {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly labels: readonly Label[];
  /** Upper bounds of a histogram, seconds. */
  readonly buckets?: readonly number[];
}

const exchangeLabels = ['upstream', 'client_era', 'upstream_era', 'revision', 'method', 'outcome'] as const;
const pairLabels = ['upstream', 'client_era', 'upstream_era'] as const;

/** The table. */
export const metrics = {
  requests_total: {
    type: 'counter',
    help: 'HTTP exchanges with clients that have ended.',
    labels: exchangeLabels,
  },
  request_duration_seconds: {
    type: 'histogram',
    help: 'Time from the arrival of a request to the end of its answer, streams included.',
    labels: exchangeLabels,
    buckets: callBuckets,
  },
  upstream_duration_seconds: {
    type: 'histogram',
    help: 'Time an exchange spent waiting for and receiving from the upstream; only exchanges that went to it.',
    labels: pairLabels,
    buckets: callBuckets,
  },
  gateway_duration_seconds: {
    type: 'histogram',
    help: 'Time an exchange spent in the gateway itself (all of it less the upstream time); only exchanges that went to the upstream.',
    labels: pairLabels,
    buckets: ownBuckets,
  },
  refusals_total: {
    type: 'counter',
    help: 'Messages that the gateway refused.',
    labels: ['cell', 'upstream'],
  },
  sessions_open: {
    type: 'gauge',
    help: 'Legacy sessions that are open now.',
    labels: ['upstream', 'kind'],
  },
  sessions_opened_total: {
    type: 'counter',
    help: 'Legacy sessions that were opened.',
    labels: ['upstream', 'kind'],
  },
  sessions_ended_total: {
    type: 'counter',
    help: 'Legacy sessions that ended.',
    labels: ['upstream', 'kind', 'reason'],
  },
  streams_open: {
    type: 'gauge',
    help: 'Event streams towards clients that are open now.',
    labels: ['upstream', 'kind'],
  },
  verdicts_total: {
    type: 'counter',
    help: 'Times it was decided what an upstream speaks.',
    labels: ['upstream', 'speaks'],
  },
  probes_total: {
    type: 'counter',
    help: 'Probes of upstreams that ended.',
    labels: ['upstream', 'result'],
  },
  clients_total: {
    type: 'counter',
    help: 'Times a client named itself by clientInfo.',
    labels: ['name', 'version', 'era'],
  },
  build_info: {
    type: 'gauge',
    help: 'Always 1; the labels say what is running.',
    labels: ['version', 'node'],
  },
} as const satisfies Record<string, MetricRow>;

/** A metric of the table, without the prefix. */
export type MetricName = keyof typeof metrics;

/** The labels of one metric of the table. */
export type LabelsOf<Name extends MetricName> = (typeof metrics)[Name]['labels'][number];

/** The metrics of one type. */
export type NamesOf<Type extends MetricRow['type']> = {
  [Name in MetricName]: (typeof metrics)[Name]['type'] extends Type ? Name : never;
}[MetricName];
