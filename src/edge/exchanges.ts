/** The exchanges under way. */
import type { Exchange } from './exchange.js';

/**
 * A set that forgets at once. A JavaScript Set keeps what was deleted reachable for the young generation's collector
 * until it is rehashed, and so costs a fifth of a small request; here the last one takes the place of the one that left.
 */
export class Exchanges implements Iterable<Exchange> {
  readonly #all: Exchange[] = [];

  /** How many there are. */
  get size(): number {
    return this.#all.length;
  }

  /** Takes `exchange` in, which is in no other such set. */
  add(exchange: Exchange): void {
    exchange.place = this.#all.push(exchange) - 1;
  }

  /** Takes `exchange` out; it must be in. */
  delete({ place }: Exchange): void {
    const last = this.#all.pop();
    if (last === undefined || place === this.#all.length) return;
    this.#all[place] = last;
    last.place = place;
  }

  /** Those that are here now: some may leave while they are visited. */
  [Symbol.iterator](): Iterator<Exchange> {
    return [...this.#all][Symbol.iterator]();
  }
}
