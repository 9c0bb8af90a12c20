/**
 * One client HTTP exchange: the request, the response, what is known about it, and the client's departure.
 * Every path through the gateway ends in exactly one of `refuse`, `end` or a stream that it closes.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { renderRefusal, type Cell, type Refusal } from '../errors.js';
import type { Outcome, Recorder, StreamKind } from '../metrics/record.js';
import type { HttpUpstream } from '../upstreams/http.js';
import { peek } from '../wire/jsonrpc.js';
import type { Era } from '../wire/meta-keys.js';

/** What an exchange is made with. */
export interface ExchangeSetup {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly upstream: HttpUpstream;
  readonly requestId: string;
  readonly recorder: Recorder;
  readonly log: Logger;
  /** Headers that belong to every answer, errors included (CORS). */
  readonly always: Readonly<Record<string, string>>;
  /** Rewrites a WWW-Authenticate value of the upstream for this client. */
  readonly rewriteChallenge: (value: string) => string;
}

/** One client HTTP exchange. */
export class Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly upstream: HttpUpstream;
  readonly requestId: string;
  readonly always: Readonly<Record<string, string>>;
  readonly rewriteChallenge: (value: string) => string;
  readonly started = performance.now();

  /** What becomes known on the way, for the log line and the metrics. */
  clientEra: Era | 'unknown' = 'unknown';
  upstreamEra: Era | 'both' | 'unknown' = 'unknown';
  revision: string | undefined;
  method: string | undefined;
  /** Raw JSON of the request's id, as soon as it is known. */
  id: string | undefined;
  /** The first bytes of the request's body, where they were read: an id for an error can still be found there. */
  prefix: Buffer | undefined;
  cell: Cell | undefined;
  /** Where it stands among the exchanges under way. */
  place = -1;

  readonly #recorder: Recorder;
  readonly #log: Logger;
  readonly #departures: (() => void)[] = [];
  #accepted: Promise<void> | undefined;
  #owes: (() => boolean) | undefined;
  #outcome: Outcome | undefined;
  #upstreamStarted: number | undefined;
  #upstreamMs: number | undefined;
  #stream: StreamKind | undefined;
  #streamClosed: (() => void) | undefined;
  #over = false;

  constructor(setup: ExchangeSetup) {
    this.request = setup.request;
    this.response = setup.response;
    this.upstream = setup.upstream;
    this.requestId = setup.requestId;
    this.always = setup.always;
    this.rewriteChallenge = setup.rewriteChallenge;
    this.#recorder = setup.recorder;
    this.#log = setup.log;
    this.response.once('close', () => {
      if (this.#accepted === undefined) this.#ended(this.response.writableFinished);
      else void this.#accepted.then(() => this.#ended(true));
    });
  }

  /** Whether the response is finished or the client is gone; one that was accepted is over when its work is done. */
  get over(): boolean {
    return this.#over;
  }

  /** Calls `listener` once if the client leaves before the response was finished; at once if it has left already. */
  onDeparture(listener: () => void): void {
    if (!this.#over) this.#departures.push(listener);
    else if (!this.response.writableFinished) listener();
  }

  /** The request went to the upstream: its time counts as the upstream's until `upstreamEnded`. */
  upstreamBegan(): void {
    this.#upstreamStarted ??= performance.now();
  }

  /** The upstream's answer is complete, or will not come. */
  upstreamEnded(): void {
    if (this.#upstreamStarted !== undefined) this.#upstreamMs ??= performance.now() - this.#upstreamStarted;
  }

  /**
   * The answer is an event stream of this kind, from now until the response is closed. `owes` tells whether answers to
   * other exchanges are still to come on it.
   */
  streams(kind: StreamKind, owes?: () => boolean): void {
    if (this.#over || this.#stream !== undefined) return;
    this.#stream = kind;
    this.#owes = owes;
    this.#streamClosed = this.#recorder.streamOpened(this.upstream.name, kind);
  }

  /** Whether it would go on for ever if nobody ended it: shutdown does not wait for such a stream. */
  get endless(): boolean {
    return (this.#stream === 'get' || this.#stream === 'listen') && this.#owes?.() !== true;
  }

  /** How the exchange ended, where that is not plain from the response: the first word counts. */
  settle(outcome: Outcome, cell?: Cell): void {
    this.#outcome ??= outcome;
    this.cell ??= cell;
  }

  /**
   * Answers with a refusal, with the request's id where it is known. Once the head of a stream is out, the
   * response is destroyed instead: a client then sees a broken stream, never a silent one.
   */
  refuse(refusal: Refusal): void {
    this.settle('refused', refusal.cell);
    if (this.response.headersSent) {
      this.response.destroy();
      return;
    }
    const { status, headers, body } = renderRefusal({ ...refusal, id: refusal.id ?? this.#findId() });
    const challenge = headers['www-authenticate'];
    if (challenge !== undefined) headers['www-authenticate'] = this.rewriteChallenge(challenge);
    this.response.writeHead(status, { ...this.always, ...headers, 'x-request-id': this.requestId });
    this.response.end(body);
  }

  /** Answers with a complete body; `headers` have lower-case names. */
  end(status: number, headers: Readonly<Record<string, string>>, body?: Buffer): void {
    const length = status === 204 ? {} : { 'content-length': String(body?.length ?? 0) };
    this.response.writeHead(status, { ...this.always, ...headers, ...length });
    this.response.end(body);
  }

  /**
   * Answers 202; the real answer goes elsewhere (2024-11-05, basic/transports "HTTP with SSE"). For the log and the
   * metrics the exchange lasts until `work` is done, which must not reject.
   */
  accept(work: Promise<void>): void {
    this.#accepted = work;
    this.end(202, {});
  }

  #findId(): string | undefined {
    return this.id ?? (this.prefix && peek(this.prefix).id);
  }

  #ended(finished: boolean): void {
    this.#over = true;
    this.#streamClosed?.();
    if (!finished) this.settle('client-gone');
    this.upstreamEnded();
    if (!finished) for (const listener of this.#departures) listener();
    const totalMs = performance.now() - this.started;
    const outcome = this.#outcome ?? 'ok';
    const facts = {
      upstream: this.upstream.name,
      clientEra: this.clientEra,
      upstreamEra: this.upstreamEra,
      revision: this.revision,
      method: this.method,
      outcome,
      cell: this.cell,
      totalMs,
      upstreamMs: this.#upstreamMs,
    };
    this.#recorder.exchangeEnded(facts);
    this.#log.info(
      { requestId: this.requestId, http: this.request.method, status: this.response.statusCode, ...facts },
      'request',
    );
  }
}
