/** One `subscriptions/listen` at a modern upstream, from its request to its end. */
import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { refuse, RefusalError } from '../../errors.js';
import type { HttpUpstream } from '../../upstreams/http.js';
import { readMessage } from '../../wire/jsonrpc.js';
import { refusalOf, withoutAnswer } from './call.js';
import { documentsOf } from './documents.js';
import { letsThrough, listenRequest, nothing, readHeard, type Change, type Filter, type Heard } from './map-listen.js';
import { mapRequest, type Envelope } from './map-request.js';

/** How long the acknowledgement may take, in milliseconds, unless `timeouts.firstByte` is less. */
const longestOpening = 10_000;

/** What a listen is made with. */
export interface ListenSetup {
  readonly upstream: HttpUpstream;
  /** What its request says of the client. */
  readonly envelope: Envelope;
  readonly filter: Filter;
  /** The header fields that go with its request, a flat list. */
  readonly headers: () => readonly string[];
  readonly search: string | undefined;
  readonly log: Logger;
}

/** One subscription. */
export class Listen {
  readonly #setup: ListenSetup;
  readonly #closing = new AbortController();
  #messages: AsyncGenerator<Heard, void> | undefined;
  #honoured = nothing;

  constructor(setup: ListenSetup) {
    this.#setup = setup;
  }

  /** What was asked for. */
  get asked(): Filter {
    return this.#setup.filter;
  }

  /** What the upstream acknowledged: nothing else may be promised to anyone. */
  get honoured(): Filter {
    return this.#honoured;
  }

  /**
   * Sends the request and resolves when it is acknowledged. Rejects with a RefusalError: `subscriptions-unknown`,
   * `subscription-refused`, a cell of the upstream, or `session-ended` when it is closed meanwhile. Nothing stays open then.
   */
  async open(): Promise<void> {
    const { upstream } = this.#setup;
    const ms = Math.min(longestOpening, upstream.config.timeouts.firstByte);
    const late = refuse('upstream-timeout', { detail: `subscriptions/listen was not acknowledged within ${ms} ms` });
    const timer = setTimeout(() => this.#closing.abort(new RefusalError(late)), ms);
    try {
      this.#honoured = await this.#acknowledged();
    } catch (error) {
      // Whatever broke when it was closed, broke because of that.
      const reason: unknown = this.#closing.signal.aborted ? this.#closing.signal.reason : error;
      this.close();
      throw reason;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Hands the changes that were acknowledged to `take`, as they come; resolves at the end, whoever has ended it. */
  async run(take: (change: Change) => void): Promise<void> {
    try {
      for await (const heard of this.#messages ?? []) {
        if (heard.kind === 'over' || heard.kind === 'error') return;
        if (heard.kind === 'list-changed' || heard.kind === 'updated') {
          if (letsThrough(this.#honoured, heard)) take(heard);
        } else if (heard.kind === 'nothing') this.#note(heard.why);
      }
    } catch (error) {
      this.#note(String(error));
    } finally {
      this.close();
    }
  }

  /** Ends it: closing the stream is what cancels (2026-07-28, subscriptions "Cancellation"). */
  close(): void {
    this.#closing.abort(new RefusalError(refuse('session-ended')));
  }

  async #acknowledged(): Promise<Filter> {
    const { upstream, envelope, filter, search } = this.#setup;
    const id = JSON.stringify(randomUUID());
    const request = listenRequest(id, filter);
    const response = await upstream.request(
      {
        method: 'POST',
        headers: this.#setup.headers(),
        // No log messages: they belong to requests of the client.
        body: mapRequest(request, { ...envelope, logLevel: undefined }, {}),
        kind: 'stream',
        search,
      },
      { signal: this.#closing.signal },
    );
    const refusal = refusalOf(response, upstream.hasOwnAuthorization);
    if (refusal !== undefined) throw new RefusalError(refusal);
    this.#messages = messagesOf(documentsOf(response), id);
    for (;;) {
      const { value, done } = await this.#messages.next();
      if (done) throw new RefusalError(withoutAnswer(response, undefined));
      if (value.kind === 'acknowledged') return value.honoured;
      if (value.kind === 'over') throw refused('the server ended the subscription before it began');
      if (value.kind === 'error')
        throw value.code === '-32601' ? new RefusalError(refuse('subscriptions-unknown')) : refused(value.detail);
      this.#note(value.kind === 'nothing' ? value.why : 'a change ahead of the acknowledgement');
    }
  }

  #note(why: string): void {
    this.#setup.log.debug({ upstream: this.#setup.upstream.name, why }, 'on a listen');
  }
}

async function* messagesOf(documents: AsyncIterable<Buffer>, id: string): AsyncGenerator<Heard, void> {
  for await (const document of documents) yield readHeard(readMessage(document), id);
}

function refused(detail: string): RefusalError {
  return new RefusalError(refuse('subscription-refused', { detail }));
}
