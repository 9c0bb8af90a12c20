/**
 * Runs the public conformance suite as its users do, by its command line, and reads its scores from the files it leaves.
 * It lives in a package of its own, with the Node 22 it needs.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const bin = (name: string) => join(here, 'node_modules', '.bin', name);

/** The whole suite takes 4 to 10 s; one that hangs is killed after this, in ms. */
const patience = 120_000;

/** What one scenario's checks came to. */
export interface ScenarioScore {
  readonly failures: readonly string[];
  readonly warnings: readonly string[];
}

/** One run of the suite. */
export interface Score {
  readonly exitCode: number | null;
  readonly output: string;
  /** Every scenario that ran, by name. */
  readonly scenarios: ReadonlyMap<string, ScenarioScore>;
  /** The scenarios that this revision is scored by; the others are run and reported. */
  readonly required: readonly string[];
  /** Where the suite left its files. */
  readonly results: string;
  readonly seconds: number;
}

/** Runs every server scenario of `revision` against `url`; `baseline` is a file of expected failures. Rejects only when nothing could be run. */
export async function runSuite(url: string, revision: string, baseline?: string): Promise<Score> {
  await install();
  const results = await mkdtemp(join(tmpdir(), 'conformance-'));
  const started = performance.now();
  const expected = baseline === undefined ? [] : ['--expected-failures', join(here, 'expected-failures', baseline)];
  const selection = ['--suite', 'all', '--spec-version', revision];
  const { exitCode, output } = await run(bin('node'), [
    bin('conformance'),
    'server',
    '--url',
    url,
    ...selection,
    ...expected,
    '--output-dir',
    results,
  ]);
  const seconds = (performance.now() - started) / 1_000;
  return {
    exitCode,
    output,
    scenarios: await readScores(results),
    required: await requiredBy(revision),
    results,
    seconds,
  };
}

/** Runs one client scenario of the modern revision, in which a legacy client reaches the suite's server through a gateway. */
export async function runClientScenario(scenario: string): Promise<{ passed: number; failed: number; output: string }> {
  await Promise.all([install(), build()]);
  const results = await mkdtemp(join(tmpdir(), 'conformance-'));
  const command = `"${process.execPath}" "${join(here, 'legacy-client.mjs')}"`;
  const selection = ['--command', command, '--scenario', scenario, '--spec-version', '2026-07-28'];
  const { exitCode, output } = await run(bin('node'), [bin('conformance'), 'client', ...selection, '-o', results]);
  await rm(results, { recursive: true, force: true });
  const [, passed, of, failed] = /Passed: (\d+)\/(\d+), (\d+) failed, 0 warnings/.exec(output) ?? [];
  const complete = exitCode === 0 && passed === of && failed === '0';
  return { passed: Number(passed ?? 0), failed: complete ? 0 : Number(failed ?? 1) || 1, output };
}

let built: Promise<void> | undefined;

/** The client of that leg runs by itself, on what was built. */
function build(): Promise<void> {
  return (built ??= (async () => {
    const { exitCode, output } = await run('npm', ['run', 'build', '--prefix', join(here, '..', '..')]);
    if (exitCode !== 0) throw new Error(`the build failed:\n${output}`);
  })());
}

/** Removes the files of a run that nobody needs to look at. */
export async function discard({ results }: Score): Promise<void> {
  await rm(results, { recursive: true, force: true });
}

let installed: Promise<void> | undefined;

/** Installs the suite where it is missing; once, also for runs that start together. */
function install(): Promise<void> {
  return (installed ??= (async () => {
    if (existsSync(bin('conformance'))) return;
    const { exitCode, output } = await run('npm', ['ci', '--no-audit', '--no-fund']);
    if (exitCode !== 0) throw new Error(`npm ci in ${here} failed:\n${output}`);
  })());
}

interface Ran {
  readonly exitCode: number | null;
  readonly output: string;
}

function run(file: string, args: readonly string[]): Promise<Ran> {
  const options = { cwd: here, timeout: patience, maxBuffer: 64 * 1_024 * 1_024 };
  return new Promise((resolve) => {
    const child = execFile(file, args, options, (_, stdout, stderr) => {
      resolve({ exitCode: child.exitCode, output: stdout + stderr });
    });
  });
}

interface Check {
  readonly id: string;
  readonly status: string;
  readonly errorMessage?: string;
}

/** The suite leaves `server-<scenario>-<time>/checks.json` for each scenario that ran. */
async function readScores(results: string): Promise<Map<string, ScenarioScore>> {
  const scores = new Map<string, ScenarioScore>();
  for (const folder of await readdir(results)) {
    const name = /^server-(.+)-\d{4}-\d{2}-\d{2}T[\d-]+Z$/.exec(folder)?.[1];
    if (name === undefined) throw new Error(`the suite names its results in a new way: ${folder}`);
    const checks = JSON.parse(await readFile(join(results, folder, 'checks.json'), 'utf8')) as Check[];
    const with_ = (status: string) =>
      checks.filter((check) => check.status === status).map(({ id, errorMessage = '' }) => `${id}: ${errorMessage}`);
    scores.set(name, { failures: with_('FAILURE'), warnings: with_('WARNING') });
  }
  return scores;
}

async function requiredBy(revision: string): Promise<string[]> {
  const { output } = await run(bin('node'), [bin('conformance'), 'list', '--requirements', revision]);
  const section = /^Server scenarios .*:\n((?: {2}- .*\n)+)/m.exec(output)?.[1] ?? '';
  return section.split('\n').flatMap((line) => (line === '' ? [] : [line.replace('  - ', '')]));
}
