/** What is wrong with a configuration, and where. */

/** The keys that lead to a value; positions in a list are numbers in text. */
export type KeyPath = readonly string[];

/** One thing that is wrong with a configuration. */
export interface Problem {
  readonly file: string;
  /** Both count from 1; absent where the problem is not at one place of the file. */
  readonly line?: number;
  readonly column?: number;
  /** The path of the key, `upstreams.weather.url`; empty for the file as a whole. */
  readonly key: string;
  /** What was found and what is allowed. Holds no secret. */
  readonly message: string;
}

/** A configuration that cannot be used: everything that is wrong with it, in the order of the file. */
export class ConfigError extends Error {
  constructor(readonly problems: readonly Problem[]) {
    super(problems.map(formatProblem).join('\n'));
    this.name = 'ConfigError';
  }
}

/** `FILE:LINE:COLUMN key: message`, which editors and terminals can jump to. */
export function formatProblem({ file, line, column, key, message }: Problem): string {
  const place = line === undefined ? file : `${file}:${line}:${column ?? 1}`;
  return key === '' ? `${place}: ${message}` : `${place} ${key}: ${message}`;
}

/** Writes a path as people do: `allow.hosts[0]`, `upstreams.weather.url`. */
export function formatKey(path: KeyPath): string {
  let text = '';
  for (const key of withoutHeaderValue(path)) {
    if (/^\d+$/.test(key)) text += `[${key}]`;
    else if (/^[\w-]+$/.test(key)) text += text === '' ? key : `.${key}`;
    else text += `[${JSON.stringify(key)}]`;
  }
  return text;
}

/** A header written as one text, `"X-Api-Key: secret"`, has become a key with the secret in it, or two. */
function withoutHeaderValue(path: KeyPath): KeyPath {
  const [top, name, key, header] = path;
  if (top !== 'upstreams' || name === undefined || key !== 'headers' || header === undefined) return path;
  return [top, name, key, header.replace(/[:=\s].*$/s, '…')];
}
