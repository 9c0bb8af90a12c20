/**
 * What a legacy session has said on its streams, so that a client that lost one can have the rest of it
 * (2025-11-25, transports, "Resumability and Redelivery"). One log per session: a replay cannot reach another's messages.
 */
import type { EventStore, JSONRPCMessage } from '@modelcontextprotocol/server';

/** How many events a session keeps; older ones are forgotten. */
const capacity = 1_000;

interface Entry {
  readonly id: string;
  readonly stream: string;
  readonly message: JSONRPCMessage;
}

/** The last events of one session, oldest first. */
export class EventLog implements EventStore {
  readonly #entries: Entry[] = [];
  #last = 0;

  async storeEvent(stream: string, message: JSONRPCMessage): Promise<string> {
    const id = `${stream}/${++this.#last}`;
    this.#entries.push({ id, stream, message });
    if (this.#entries.length > capacity) this.#entries.shift();
    return Promise.resolve(id);
  }

  async getStreamIdForEventId(id: string): Promise<string | undefined> {
    return Promise.resolve(this.#entries.find((entry) => entry.id === id)?.stream);
  }

  /** Sends again what followed event `id` on its own stream. Throws when that event is not known, or no more. */
  async replayEventsAfter(
    id: string,
    { send }: { send: (id: string, message: JSONRPCMessage) => Promise<void> },
  ): Promise<string> {
    const at = this.#entries.findIndex((entry) => entry.id === id);
    const from = this.#entries[at];
    if (from === undefined) throw new Error(`unknown event ${id}`);
    for (const entry of this.#entries.slice(at + 1)) {
      // A priming event is stored as an empty message: it opened a stream and says nothing.
      if (entry.stream === from.stream && 'jsonrpc' in entry.message) await send(entry.id, entry.message);
    }
    return from.stream;
  }
}
