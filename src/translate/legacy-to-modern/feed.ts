/** What one session hears of changes: a subscription upstream on one side, the client's GET stream on the other. */
import type { Logger } from 'pino';
import { refuse, RefusalError } from '../../errors.js';
import type { UnaskedStream } from '../types.js';
import { Listen, type ListenSetup } from './listen.js';
import { isEmpty, letsThrough, type Change, type Filter } from './map-listen.js';
import { Pending } from './pending.js';
import { Twins } from './twins.js';

/** How long the old subscription stays beside the new one, in milliseconds: what was on its way still arrives. */
const overlap = 500;
/** How long to wait before a subscription that was lost is asked for again, in milliseconds: doubled each time. */
const firstPause = 250;
const longestPause = 30_000;
/** GET streams of one session that are open at the same time; one more ends the oldest. */
const mostStreams = 4;
/** Resources that one session subscribes to. */
const mostResources = 1_000;

/** What a feed is made with. */
export interface FeedSetup extends Omit<ListenSetup, 'filter'> {
  /** The changes of lists that the upstream advertises. */
  readonly lists: ReadonlySet<string>;
  /** How long the subscription outlives the last GET stream, in milliseconds. */
  readonly linger: number;
  readonly log: Logger;
}

/**
 * The feed of one session. One subscription at a time: for as long as a GET stream is open and, so that a client that
 * comes back has missed nothing, for `linger` after it; what comes meanwhile waits. Of several GET streams the newest that
 * is still open gets the messages, each goes out on one (2025-11-25, basic/transports "Multiple Connections").
 */
export class Feed {
  readonly #setup: FeedSetup;
  readonly #uris = new Set<string>();
  readonly #streams: UnaskedStream[] = [];
  readonly #pending = new Pending();
  readonly #twins = new Twins<Listen>();
  /** Subscriptions that are being opened, in use, or on their way out. */
  readonly #open = new Set<Listen>();
  /** The one in use. */
  #live: Listen | undefined;
  #turn: Promise<unknown> = Promise.resolve();
  #losses = 0;
  #retry: NodeJS.Timeout | undefined;
  #resting: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(setup: FeedSetup) {
    this.#setup = setup;
  }

  /** Feeds `stream`, first with what has been waiting for one. */
  attach(stream: UnaskedStream): void {
    clearTimeout(this.#resting);
    this.#resting = undefined;
    this.#streams.push(stream);
    if (this.#streams.length > mostStreams) this.#streams[0]?.end();
    stream.onReady(() => this.#flush());
    stream.onClose(() => {
      this.#streams.splice(this.#streams.indexOf(stream), 1);
      if (this.#streams.length === 0) this.#rest();
      else this.#flush();
    });
    this.#flush();
    this.#ensure();
  }

  /**
   * Resolves when the upstream has acknowledged `uri`, whether or not a stream is open. Rejects with a RefusalError:
   * `subscription-refused` or `subscriptions-unknown`, a cell of the upstream, `session-ended`; all is as before then.
   */
  async subscribe(uri: string): Promise<void> {
    const isNew = !this.#uris.has(uri);
    if (isNew && this.#uris.size >= mostResources) throw refusedSubscription(`${mostResources} are the most`);
    this.#uris.add(uri);
    if (this.#streams.length === 0) this.#rest();
    try {
      await this.#inTurn(async () => {
        const isKept = this.#live?.honoured.uris.has(uri);
        const listen = isKept ? this.#live : await this.#renew();
        if (!listen?.honoured.uris.has(uri)) throw refusedSubscription('it was not acknowledged');
      });
    } catch (error) {
      if (isNew) this.#uris.delete(uri);
      throw error;
    }
  }

  /** Resolves when updates of `uri` have ended. They have for the client also where the upstream cannot be told. */
  async unsubscribe(uri: string): Promise<void> {
    if (!this.#uris.delete(uri)) return;
    try {
      await this.#inTurn(async () => {
        if (this.#live?.asked.uris.has(uri) && !this.#uris.has(uri)) await this.#renew();
      });
    } catch (error) {
      this.#setup.log.debug({ err: error }, 'an unsubscribed resource stays in the subscription upstream');
    }
  }

  /** Ends the subscription; the streams end with the session. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#retry);
    clearTimeout(this.#resting);
    for (const listen of this.#open) listen.close();
  }

  get #wanted(): Filter {
    return { lists: this.#setup.lists, uris: this.#uris };
  }

  /** One change of the subscription after the other, or two of them would overtake each other. */
  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#turn.then(() => {
      if (this.#closed) throw new RefusalError(refuse('session-ended'));
      return work();
    });
    this.#turn = done.catch(() => undefined);
    return done;
  }

  /** Puts a subscription for what is wanted now in the place of the one in use, which is closed after that. */
  async #renew(): Promise<Listen | undefined> {
    const before = this.#live;
    const filter = { lists: this.#setup.lists, uris: new Set(this.#uris) };
    if (isEmpty(filter)) return this.#stop();
    const next = new Listen({ ...this.#setup, filter });
    this.#open.add(next);
    await next.open().catch((error: unknown) => {
      this.#open.delete(next);
      throw error;
    });
    clearTimeout(this.#retry);
    this.#live = next;
    const opened = performance.now();
    void next.run((change) => this.#take(next, change)).then(() => this.#ended(next, performance.now() - opened));
    if (before !== undefined) setTimeout(() => before.close(), overlap).unref();
    return next;
  }

  #stop(): undefined {
    clearTimeout(this.#retry);
    const listen = this.#live;
    this.#live = undefined;
    listen?.close();
  }

  /** Nobody reads any more: in a while nobody will come back. */
  #rest(): void {
    clearTimeout(this.#resting);
    if (this.#closed) return;
    this.#resting = setTimeout(() => {
      this.#resting = undefined;
      this.#stop();
    }, this.#setup.linger).unref();
  }

  #ended(listen: Listen, lived: number): void {
    this.#open.delete(listen);
    if (listen !== this.#live) return;
    this.#live = undefined;
    // Servers may end at once what they have nothing to say on.
    if (isEmpty(listen.honoured)) return;
    if (lived > longestPause) this.#losses = 0;
    this.#retryLater();
  }

  #ensure(): void {
    this.#inTurn(async () => {
      if (this.#live === undefined) await this.#renew();
    }).catch((error: unknown) => {
      this.#setup.log.debug({ err: error }, 'no subscription for a GET stream');
      // The stream stays open and quiet, as that of a legacy server that has nothing to say.
      if (error instanceof RefusalError && error.refusal.cell === 'subscriptions-unknown') return;
      this.#retryLater();
    });
  }

  #retryLater(): void {
    clearTimeout(this.#retry);
    if (this.#closed || (this.#streams.length === 0 && this.#resting === undefined)) return;
    // At random, so that the sessions of an upstream that restarts do not come back all at once.
    const pause = Math.min(firstPause * 2 ** this.#losses++, longestPause) * (0.5 + Math.random() / 2);
    this.#retry = setTimeout(() => this.#ensure(), pause).unref();
  }

  #take(listen: Listen, change: Change): void {
    const key = `${change.kind} ${change.subject}`;
    if (!this.#twins.isNews(key, listen)) return;
    const gone = this.#pending.add(key, change);
    if (gone > 0) this.#setup.log.warn({ gone }, 'changes were dropped: nobody reads the GET stream');
    this.#flush();
  }

  #flush(): void {
    const stream = this.#streams.at(-1);
    while (stream?.ready) {
      const change = this.#pending.take();
      if (change === undefined) return;
      if (letsThrough(this.#wanted, change)) stream.send(change.bytes);
    }
  }
}

function refusedSubscription(detail: string): RefusalError {
  return new RefusalError(refuse('subscription-refused', { detail }));
}
