/**
 * Environment variables in a configuration: `${NAME}` and `${NAME:-default}`, as shells have them; `$${` is a plain
 * `${`. They are put into texts that YAML has parsed already, so that no value of a variable can add keys.
 */
import { visit, type Scalar } from 'yaml';
import type { Problem } from './problem.js';
import type { Source } from './source.js';

/** What became of the texts that name variables. */
export interface Substitution {
  readonly problems: readonly Problem[];
  /** The text as it stands in the file, for every one that was changed: what is in it may be a secret now. */
  readonly written: ReadonlyMap<Scalar, string>;
  /** Texts with a variable that is missing: nothing more can be said of them. */
  readonly failed: ReadonlySet<Scalar>;
}

const reference = /\$\$\{|\$\{([^}]*)\}|\$\{/g;
const inside = /^([A-Za-z_][A-Za-z0-9_]*)(?::-([^]*))?$/;

/** Puts the variables of `env` into all texts of the file that are not keys. Changes `source.doc`. */
export function substitute(source: Source, env: NodeJS.ProcessEnv): Substitution {
  const problems: Problem[] = [];
  const written = new Map<Scalar, string>();
  const failed = new Set<Scalar>();
  visit(source.doc, {
    Scalar(role, scalar) {
      if (role === 'key' || typeof scalar.value !== 'string' || !scalar.value.includes('${')) return;
      const { text, complaints } = expand(scalar.value, env);
      for (const complaint of complaints) problems.push(source.problemAt(scalar.range?.[0] ?? 0, complaint));
      if (complaints.length > 0) failed.add(scalar);
      written.set(scalar, scalar.value);
      scalar.value = text;
    },
  });
  return { problems, written, failed };
}

function expand(written: string, env: NodeJS.ProcessEnv): { text: string; complaints: string[] } {
  const complaints: string[] = [];
  const text = written.replace(reference, (whole, content: string | undefined) => {
    if (whole === '$${') return '${';
    const [, name, fallback] = inside.exec(content ?? '') ?? [];
    if (name === undefined) {
      complaints.push('expected ${NAME} or ${NAME:-default} with the name of a variable; $${ is a plain ${');
      return '';
    }
    // With `:-`, an empty variable counts as missing, as in a shell.
    const value = fallback === undefined ? env[name] : env[name] || fallback;
    if (value === undefined) {
      complaints.push(`the environment variable ${name} is not set; set it, or give a default: \${${name}:-default}`);
    }
    return value ?? '';
  });
  return { text, complaints };
}
