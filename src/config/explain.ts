/** Turns what the validator says into a sentence for a person: what was found, and what is allowed. */
import { formats } from './formats.js';
import { nearest } from './nearest.js';
import type { KeyPath } from './problem.js';
import type { Misfit } from './schema.js';
import { shown } from './shown.js';
import type { Spot } from './source.js';

/** What is wrong at one path. */
export interface Explanation {
  readonly path: KeyPath;
  readonly spot: Spot;
  readonly message: string;
}

type Explain = (misfit: Misfit, path: KeyPath, found: string) => Partial<Explanation>;

/** By keyword of JSON Schema; a keyword that is not here says `expected …, found …`. */
const explanations = new Map<string, Explain | 'silent'>([
  // Summaries of what inner errors say better.
  ['if', 'silent'],
  ['propertyNames', 'silent'],
  ['additionalProperties', unknownKey],
  ['required', missingKey],
  ['enum', oneOfWords],
  ['format', badFormat],
]);

/**
 * Explains misfits, one explanation for each path. `written` gives the text of the file for a value that came from
 * the environment: that is shown in place of the value.
 */
export function explain(misfits: readonly Misfit[], written: (path: KeyPath) => string | undefined): Explanation[] {
  const byPath = new Map<string, Explanation>();
  for (const misfit of misfits) {
    const explanation = explainOne(misfit, written);
    if (explanation === undefined) continue;
    // A value has one explanation, the most telling: that of its format.
    const key = JSON.stringify([explanation.path, explanation.spot]);
    if (!byPath.has(key) || misfit.keyword === 'format') byPath.set(key, explanation);
  }
  return [...byPath.values()];
}

/** The path of a misfit; that of a key where the key is wrong, not its value. */
export function pathOf({ instancePath, propertyName }: Misfit): KeyPath {
  const path = instancePath.split('/').slice(1);
  const keys = path.map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
  return propertyName === undefined ? keys : [...keys, propertyName];
}

function explainOne(misfit: Misfit, written: (path: KeyPath) => string | undefined): Explanation | undefined {
  const how = explanations.get(misfit.keyword);
  if (how === 'silent') return undefined;
  const path = pathOf(misfit);
  const isKey = misfit.propertyName !== undefined;
  const found = isKey ? JSON.stringify(misfit.propertyName) : shown(misfit.data, path, written(path));
  return {
    path,
    spot: isKey ? 'key' : 'value',
    message: `expected ${expected(misfit)}, found ${found}`,
    ...how?.(misfit, path, found),
  };
}

/** Types in words, for schemas that say no more than the type. */
const types = new Map<unknown, string>([
  ['object', 'a mapping'],
  ['array', 'a list'],
  ['string', 'a text'],
]);

function expected({ parentSchema, params }: Misfit): string {
  const words: unknown = parentSchema?.['x-expected'];
  return typeof words === 'string' ? words : (types.get(params['type']) ?? 'another value');
}

function unknownKey({ params, parentSchema }: Misfit, path: KeyPath): Partial<Explanation> {
  const key = String(params['additionalProperty']);
  const known = Object.keys((parentSchema?.['properties'] as object | undefined) ?? {});
  const meant = nearest(key, known);
  const suggestion = meant === undefined ? '' : `; did you mean ${JSON.stringify(meant)}?`;
  return {
    path: [...path, key],
    spot: 'key',
    message: `unknown key ${JSON.stringify(key)}${suggestion} (allowed here: ${known.join(', ')})`,
  };
}

function missingKey(misfit: Misfit): Partial<Explanation> {
  return {
    spot: 'key',
    message: `the key ${JSON.stringify(misfit.params['missingProperty'])} is missing; expected ${expected(misfit)}`,
  };
}

function oneOfWords({ params, data }: Misfit, _path: KeyPath, found: string): Partial<Explanation> {
  const allowed = params['allowedValues'] as string[];
  const meant = typeof data === 'string' ? nearest(data, allowed) : undefined;
  const suggestion = meant === undefined ? '' : `; did you mean ${meant}?`;
  return { message: `expected one of ${allowed.join(', ')}, found ${found}${suggestion}` };
}

function badFormat({ params, data, propertyName }: Misfit, _path: KeyPath, found: string): Partial<Explanation> {
  const complaint = formats.get(String(params['format']))?.(String(data)) ?? 'not allowed';
  return { message: propertyName === undefined ? `${complaint}, found ${found}` : complaint };
}
