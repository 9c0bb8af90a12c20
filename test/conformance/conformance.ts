/**
 * The public conformance suite through the gateway, one cell of the matrix after the other: `npm run conformance`.
 * With `--direct`, the upstreams alone: what they score is the most that the gateway can.
 */
import { readFile } from 'node:fs/promises';
import t from 'tap';
import { parse } from 'yaml';
import type { Era } from '../../src/wire/meta-keys.js';
import { openGateway } from '../rig/gateway.js';
import { startConformanceUpstream } from '../upstreams/conformance.js';
import { discard, runClientScenario, runSuite, type Score } from './suite.js';

interface Cell {
  readonly client: Era;
  readonly upstream: Era;
  readonly revision: string;
  /** How many scenarios the revision is scored by, and how many run in all. */
  readonly required: number;
  readonly run: number;
  /** A file of scenarios that fail for a known reason. */
  readonly baseline?: string;
}

const cells: readonly Cell[] = [
  { client: 'legacy', upstream: 'legacy', revision: '2025-11-25', required: 30, run: 33 },
  { client: 'modern', upstream: 'modern', revision: '2026-07-28', required: 37, run: 40 },
  { client: 'legacy', upstream: 'modern', revision: '2025-11-25', required: 30, run: 33 },
];

const direct = process.argv.includes('--direct');

t.test('conformance', async (t) => {
  for (const cell of cells) {
    if (direct && cell.client !== cell.upstream) continue;
    await t.test(`${cell.client} → ${cell.upstream}, ${cell.revision}`, async (t) => {
      const upstream = await startConformanceUpstream(cell.upstream);
      t.teardown(() => upstream.close());
      const gateway = direct ? undefined : await openGateway({ suite: { url: upstream.url } });
      t.teardown(() => gateway?.close());

      const score = await runSuite(gateway?.url('suite') ?? upstream.url, cell.revision, cell.baseline);
      const known = await knownFailures(cell.baseline);
      t.comment(summary(score));
      t.equal(score.scenarios.size, cell.run, 'every scenario ran');
      t.equal(score.required.length, cell.required, 'the revision is scored by as many as ever');
      t.same(
        score.required.filter((name) => !score.scenarios.has(name)),
        [],
        'and they are among those that ran',
      );
      t.same(faults(score), known, 'nothing failed or warned but what is known to');
      t.equal(score.exitCode, 0, 'the suite agrees');
      if (t.passing()) await discard(score);
      else t.comment(`results are in ${score.results}\n${details(score)}`);
    });
  }
});

/** What the suite asks of a modern client, and how many checks there are: the gateway is one, for a legacy client. */
const clientScenarios: ReadonlyMap<string, number> = new Map([
  ['tools_call', 2],
  ['request-metadata', 8],
  ['sep-2322-client-request-state', 5],
  ['http-standard-headers', 9],
  ['http-custom-headers', 18],
  ['http-invalid-tool-headers', 12],
  ['json-schema-ref-no-deref', 1],
  ['json-schema-2020-12-preservation', 9],
]);

// With --direct there is no gateway, and so no client of the suite's servers to judge.
t.test('the gateway as a modern client, for a legacy one', { skip: direct }, async (t) => {
  for (const [scenario, checks] of clientScenarios) {
    const { passed, failed, output } = await runClientScenario(scenario);
    if (!t.same({ scenario, passed, failed }, { scenario, passed: checks, failed: 0 })) t.comment(output.slice(-4_000));
  }
});

/** The scenarios of a baseline file, in order. An entry may name one check of a scenario, after a colon. */
async function knownFailures(baseline: string | undefined): Promise<string[]> {
  if (baseline === undefined) return [];
  const file = new URL(`expected-failures/${baseline}`, import.meta.url);
  const { server } = parse(await readFile(file, 'utf8')) as { server: string[] };
  return [...new Set(server.map((entry) => entry.split(':')[0] ?? entry))].sort();
}

/** The scenarios that did not come through clean. */
function faults({ scenarios }: Score): string[] {
  return [...scenarios]
    .filter(([, { failures, warnings }]) => failures.length + warnings.length > 0)
    .map(([name]) => name)
    .sort();
}

function summary({ scenarios, required, seconds }: Score): string {
  const passed = (name: string) => scenarios.get(name)?.failures.length === 0;
  const warnings = [...scenarios.values()].reduce((sum, score) => sum + score.warnings.length, 0);
  const all = [...scenarios.keys()];
  return (
    `${required.filter(passed).length}/${required.length} required, ${all.filter(passed).length}/${all.length} in all, ` +
    `${warnings} warnings, ${seconds.toFixed(1)} s`
  );
}

function details({ scenarios, output }: Score): string {
  const lines = [...scenarios].flatMap(([name, { failures, warnings }]) => [
    ...failures.map((failure) => `✗ ${name}: ${failure}`),
    ...warnings.map((warning) => `! ${name}: ${warning}`),
  ]);
  return scenarios.size === 0 ? output.slice(-4_000) : lines.join('\n');
}
