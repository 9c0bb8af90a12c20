/** Tells the two copies of one event from two events, while two subscriptions overlap. */

/** Copies of one event come on two streams within this time, in milliseconds. */
const window = 100;

/**
 * When the set of subscribed resources changes, the new subscription is acknowledged before the old one is closed.
 * What happens meanwhile comes on both, in whichever order, and changes carry no identity. So an event counts as a
 * copy when an equal one came on the *other* stream within `window` and has not been paired yet. Two equal events that
 * follow each other come twice on each stream, so each finds its own pair; one that only one stream brought stays.
 */
export class Twins<Stream> {
  readonly #unpaired: { readonly key: string; readonly stream: Stream; readonly at: number }[] = [];

  /** Whether the event `key` that came on `stream` has not been told yet. `now` is in milliseconds. */
  isNews(key: string, stream: Stream, now = performance.now()): boolean {
    while (this.#unpaired[0] !== undefined && this.#unpaired[0].at < now - window) this.#unpaired.shift();
    const twin = this.#unpaired.findIndex((one) => one.key === key && one.stream !== stream);
    if (twin === -1) this.#unpaired.push({ key, stream, at: now });
    else this.#unpaired.splice(twin, 1);
    return twin === -1;
  }
}
