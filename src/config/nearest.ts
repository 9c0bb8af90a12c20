/** Which of the known words somebody may have meant. */
import { closest, distance } from 'fastest-levenshtein';

/** The word of `known` nearest to `word`, in any case; undefined where none is near enough to be a slip of the pen. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const slips = Math.max(2, Math.floor(word.length / 3));
  const lower = known.map((each) => each.toLowerCase());
  const found = lower.indexOf(closest(word.toLowerCase(), lower));
  const candidate = lower[found];
  return candidate !== undefined && distance(word.toLowerCase(), candidate) <= slips ? known[found] : undefined;
}
