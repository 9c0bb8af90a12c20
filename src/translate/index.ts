/** The matrix of eras: who carries what to whom. To add an era, add a row and a column here. */
import type { LegacyTranslator } from './types.js';
export function pairOf(_client: 'legacy', _upstream: 'modern'): LegacyTranslator { throw new Error('not there'); }
