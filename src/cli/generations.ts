/** Which generations of clients there are, and what becomes of each on a given server, directly and through the gateway. */
import { legacyRevisions, modernRevisions, type Era } from '../wire/meta-keys.js';

/** What the gateway makes of a client of one era on a server that speaks the other only. */
export type Crossing = 'translated' | 'not yet';

/** The facts: by the client's era. Same era needs no crossing; the bytes pass through. */
export const crossings: Readonly<Record<Era, Crossing>> = {
  legacy: 'translated',
  modern: 'not yet',
};

/** Where the table would promise too much without a word. */
export const caveats: ReadonlyMap<string, string> = new Map([
  ['2024-11-05', 'over Streamable HTTP; the HTTP+SSE transport of that revision is not carried yet'],
]);

/** How a client fares: it works as it is, through translation, not yet, or not at all. */
export type Fare = 'yes' | 'no' | Crossing;

/** One row of the table: the clients of one revision. */
export interface Generation {
  readonly revision: string;
  readonly era: Era;
  readonly directly: Fare;
  readonly gateway: Fare;
}

/** How every generation of clients fares on a server that accepts `revisions` and that the gateway takes to speak `eras`. */
export function generationsOn(revisions: ReadonlySet<string>, eras: ReadonlySet<Era>): Generation[] {
  const row =
    (era: Era) =>
    (revision: string): Generation => {
      const directly = revisions.has(revision) ? 'yes' : 'no';
      return { revision, era, directly, gateway: eras.has(era) ? directly : crossings[era] };
    };
  return [...legacyRevisions.toReversed().map(row('legacy')), ...modernRevisions.toReversed().map(row('modern'))];
}
