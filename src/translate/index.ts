/** The matrix of eras: who carries what to whom. To add an era, add a row and a column here. */
import type { Era } from '../wire/meta-keys.js';
import { legacyToModern } from './legacy-to-modern/index.js';
import type { LegacyTranslator } from './types.js';

/** How one pair is served. */
export type Pair =
  /** Same era on both sides: bytes pass as they are. */
  | { readonly kind: 'passthrough' }
  | { readonly kind: 'legacy-client'; readonly translator: LegacyTranslator }
  /** Refused (`pair-not-served`) until its translator exists. */
  | { readonly kind: 'not-served' };

const passthrough: Pair = { kind: 'passthrough' };

/** Client era, then upstream era. */
const matrix: Readonly<Record<Era, Readonly<Record<Era, Pair>>>> = {
  legacy: { legacy: passthrough, modern: { kind: 'legacy-client', translator: legacyToModern } },
  modern: { legacy: { kind: 'not-served' }, modern: passthrough },
};

/** How a client of one era is served on an upstream of another. */
export function pairOf(client: Era, upstream: Era): Pair {
  return matrix[client][upstream];
}
