/** Configurations as files, for tests. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { ConfigError, loadConfig, type Problem } from '../../../src/config/load.js';
import type { Config } from '../../../src/config/types.js';

/** Writes `yaml` to a file of the test and loads it. */
export function load(t: Test, yaml: string, env: NodeJS.ProcessEnv = {}): Config {
  const file = join(t.testdir({}), 'config.yaml');
  writeFileSync(file, yaml);
  return loadConfig(file, env);
}

/** The problems with which `attempt` fails; an empty list where it does not. */
export function problemsOf(attempt: () => unknown): readonly Problem[] {
  try {
    attempt();
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}

/** The problems of `yaml`, as `LINE:COLUMN key: message`. */
export function complaints(t: Test, yaml: string, env: NodeJS.ProcessEnv = {}): string[] {
  return problemsOf(() => load(t, yaml, env)).map(
    ({ line, column, key, message }) => `${line}:${column} ${key}: ${message}`,
  );
}
