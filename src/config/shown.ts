/** How a value of the configuration may be shown to people, in messages and summaries: never a secret. */
import type { KeyPath } from './problem.js';

const longest = 60;

/** Stands for a secret. */
export const hidden = '***';

/** A value as it may stand in a message. `written` is the text of the file, where the value came from the environment. */
export function shown(value: unknown, path: KeyPath, written?: string): string {
  if (value === null || value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a mapping';
  if (isSecret(path)) return hidden;
  if (written !== undefined) return `the value of ${withoutSecrets(written)}`;
  if (typeof value !== 'string') return JSON.stringify(value);
  const text = withoutSecrets(value);
  return JSON.stringify(text.length > longest ? `${text.slice(0, longest)}…` : text);
}

/** Header values are credentials as a rule, wherever in `headers` they were put. */
function isSecret(path: KeyPath): boolean {
  return path.includes('headers');
}

/** What may be a URL without the parts that hold credentials: user, password and query. */
export function withoutSecrets(text: string): string {
  return text.replace(/\/\/[^/?#]*@/, `//${hidden}@`).replace(/\?.*$/s, `?${hidden}`);
}
