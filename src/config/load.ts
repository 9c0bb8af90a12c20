/** A configuration file, read and checked: YAML, environment, schema, clashes. */
import { readFileSync } from 'node:fs';
import { buildConfig } from './build.js';
import { clashes } from './clashes.js';
import { substitute, type Substitution } from './environment.js';
import { explain, pathOf, type Explanation } from './explain.js';
import { ConfigError, type KeyPath, type Problem } from './problem.js';
import type { RawConfig } from './raw.js';
import { misfits, type Misfit } from './schema.js';
import { Source } from './source.js';
import { checkSyntax } from './syntax.js';
import type { Config } from './types.js';

export { ConfigError, formatProblem, type Problem } from './problem.js';
export { configFromFlags, type Flags } from './flags.js';
export { describeConfig } from './describe.js';

/**
 * Reads the YAML file of that name, with the variables of `env` put in. Throws a ConfigError that names everything
 * that is wrong with it.
 */
export function loadConfig(file: string, env: NodeJS.ProcessEnv = process.env): Config {
  const source = new Source(file, read(file));
  const { problems, readable } = checkSyntax(source);
  if (!readable) throw new ConfigError(problems);

  const substitution = substitute(source, env);
  const raw = toPlain(source);
  const place = ({ path, message, spot }: Explanation): Problem => source.problem(path, message, spot);
  const all = [
    ...problems,
    ...substitution.problems,
    ...checkShape(source, raw, substitution).map(place),
    ...clashes(raw).map(place),
  ];
  if (all.length > 0) throw new ConfigError(all.sort(byPlace));
  return buildConfig(raw as RawConfig);
}

const readFailures = new Map([
  ['ENOENT', 'there is no such file'],
  ['EACCES', 'the file may not be read'],
  ['EISDIR', 'this is a directory; expected a YAML file'],
]);

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    const message = readFailures.get(code) ?? `the file cannot be read (${code})`;
    throw new ConfigError([{ file, key: '', message }]);
  }
}

function toPlain(source: Source): unknown {
  try {
    return source.doc.toJS() ?? {};
  } catch {
    // The library gives up on aliases that would make a small file very large.
    throw new ConfigError([{ file: source.file, key: '', message: 'the file has too many *aliases of aliases' }]);
  }
}

/** Validates `raw`, in which texts from the environment become numbers or booleans where those are wanted. */
function checkShape(source: Source, raw: unknown, { written, failed }: Substitution): Explanation[] {
  const writtenAt = (path: KeyPath): string | undefined => {
    const scalar = source.scalarAt(path);
    return scalar === undefined ? undefined : written.get(scalar);
  };
  const isFailed = (misfit: Misfit): boolean => {
    const scalar = misfit.propertyName === undefined ? source.scalarAt(pathOf(misfit)) : undefined;
    return scalar !== undefined && failed.has(scalar);
  };
  for (const misfit of misfits(raw)) {
    if (misfit.keyword === 'type' && writtenAt(pathOf(misfit)) !== undefined) readAs(misfit, raw);
  }
  return explain(
    misfits(raw).filter((misfit) => !isFailed(misfit)),
    writtenAt,
  );
}

const otherThanText = /^(?:-?\d{1,15}|true|false)$/;

/** Replaces the text of a misfit by the number or boolean that it reads as. */
function readAs(misfit: Misfit, raw: unknown): void {
  const path = pathOf(misfit);
  const last = path.at(-1);
  const text = misfit.data;
  if (last === undefined || typeof text !== 'string' || !otherThanText.test(text)) return;
  const parent = path.slice(0, -1).reduce((value, key) => (value as Record<string, unknown>)[key], raw);
  (parent as Record<string, unknown>)[last] = JSON.parse(text);
}

function byPlace(a: Problem, b: Problem): number {
  return (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0);
}
