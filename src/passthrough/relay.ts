/** Hands one upstream answer to one client: undici's raw handler on one side, node's response on the other. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import type { Exchange } from '../edge/exchange.js';
import { refuse, type Cell } from '../errors.js';
import { cellOfUpstreamError } from '../upstreams/http.js';
import { ClientBody } from './client-body.js';
import { BodyStalledError, BodyStream, BodyTooLargeError, type RequestBody } from './request-body.js';
import { clientHeaders, isEventStream, type UpstreamHead } from './response-head.js';

/** What the edge may want of an answer. */
export interface RelayOptions {
  /** The message is a notification: the client sees 202 and nothing else, whatever 2xx the upstream answered. */
  readonly notification?: boolean | undefined;
  /** Sees the head of the upstream's answer before the client does; names are in lower case. */
  readonly onHead?: ((status: number, headers: IncomingHttpHeaders) => void) | undefined;
  /** Sees the beginning of an answer with 400, 404 or 405 at its end: it may say what the upstream has become. */
  readonly onTurnedDown?: ((status: number, body: Buffer) => void) | undefined;
  /** Nobody was there. */
  readonly onUnreachable?: (() => void) | undefined;
}

/** Bytes of an answer to a notification that are read and thrown away, to keep the connection. */
const discardable = 64 * 1024;

// Made once: an abort has no use for a stack, and making one is not free.
const departed = new Error('the client left');
const unwanted = new Error('the rest of the answer is not wanted');

/** Answers that turn a request down, as far as they are looked at, in bytes. */
const turnsDown: ReadonlySet<number> = new Set([400, 404, 405]);
const looksAt = 16 * 1024;

interface TurnedDown {
  readonly status: number;
  readonly chunks: Buffer[];
  length: number;
}

function look(seen: TurnedDown, chunk: Buffer): void {
  if (seen.length < looksAt) seen.chunks.push(chunk);
  seen.length += chunk.length;
}

type State = 'waiting' | 'relaying' | 'discarding' | 'over';

/** Relays the answer to `exchange`; `body` is the request's, in case that an error has to carry its id. */
export class Relay implements Dispatcher.DispatchHandler {
  readonly #exchange: Exchange;
  readonly #options: RelayOptions;
  readonly #body: RequestBody;
  #state: State = 'waiting';
  #turnedDown: TurnedDown | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #clientBody: ClientBody | undefined;
  #discarded = 0;

  constructor(exchange: Exchange, options: RelayOptions, body: RequestBody) {
    this.#exchange = exchange;
    this.#options = options;
    this.#body = body;
    exchange.onDeparture(() => this.#stop(departed));
  }

  /** The request is about to be written: the last moment to hold it back. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#state === 'over') controller.abort(departed);
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200) return;
    const cell = this.#unfit(status, headers);
    if (cell !== undefined) return this.#refuse(cell);
    this.#options.onHead?.(status, headers);
    const head = { raw: controller.rawHeaders as Buffer[], headers };
    if (this.#options.notification && status < 300) this.#accept(head);
    else this.#relay(controller, status, head);
  }

  onResponseData(_controller: unknown, chunk: Buffer): void {
    // After a pause undici reports an empty chunk, and writing nothing is a system call all the same.
    if (chunk.length === 0) return;
    if (this.#turnedDown !== undefined) look(this.#turnedDown, chunk);
    if (this.#state === 'relaying') this.#clientBody?.write(chunk);
    else if ((this.#discarded += chunk.length) > discardable) this.#stop(unwanted);
  }

  onResponseEnd(): void {
    this.#exchange.upstreamEnded();
    this.#clientBody?.end();
    this.#state = 'over';
    if (this.#turnedDown === undefined) return;
    const { status, chunks } = this.#turnedDown;
    this.#options.onTurnedDown?.(status, Buffer.concat(chunks));
  }

  onResponseError(_controller: unknown, error: Error): void {
    this.#exchange.upstreamEnded();
    if (this.#body instanceof BodyStream) this.#body.destroy();
    const cell = cellOf(error);
    if (cell === 'upstream-unreachable') this.#options.onUnreachable?.();
    if (this.#state === 'waiting') this.#refuse(cell);
    else if (this.#state === 'relaying') this.#breakOff(cell);
    this.#state = 'over';
  }

  /** Why a client must not see this answer. */
  #unfit(status: number, headers: IncomingHttpHeaders): Cell | undefined {
    if (status === 401 && this.#exchange.upstream.hasOwnAuthorization) return 'upstream-credential';
    if (status < 400 && status >= 300 && headers.location !== undefined) return 'upstream-redirect';
    return undefined;
  }

  #relay(controller: Dispatcher.DispatchController, status: number, head: UpstreamHead): void {
    const { response, always, rewriteChallenge } = this.#exchange;
    const length = Number(head.headers['content-length'] ?? Infinity);
    response.writeHead(status, clientHeaders(head, { always, rewriteChallenge }));
    this.#clientBody = new ClientBody(response, length, controller);
    if (turnsDown.has(status)) this.#turnedDown = { status, chunks: [], length: 0 };
    this.#state = 'relaying';
  }

  /** 202 for a notification (translation.md §7); a short answer is read to its end, and the connection kept. */
  #accept(head: UpstreamHead): void {
    const { response, always } = this.#exchange;
    response.writeHead(202, clientHeaders(head, { always, bodiless: true })).end();
    this.#state = 'discarding';
    if (isEventStream(head.headers)) this.#stop(unwanted);
  }

  /** Answers with `cell` and the request's id, if it is in what was seen of the body; nothing more is wanted. */
  #refuse(cell: Cell): void {
    this.#stop(unwanted);
    this.#exchange.prefix ??= (this.#body instanceof BodyStream ? this.#body.first : this.#body) ?? undefined;
    this.#exchange.refuse(refuse(cell));
  }

  #breakOff(cell: Cell): void {
    if (this.#clientBody === undefined || this.#clientBody.over) return;
    this.#exchange.settle('upstream-error', cell);
    this.#clientBody.breakOff();
  }

  /** Ends the upstream's part. A connection that is stopped in the middle, or paused, never goes back to the pool. */
  #stop(reason: Error): void {
    if (this.#state === 'over') return;
    this.#state = 'over';
    this.#exchange.upstreamEnded();
    this.#controller?.abort(reason);
  }
}

/** Whose fault it was: the client's, whose body goes up, or the upstream's. */
function cellOf(error: Error): Cell {
  if (error instanceof BodyStalledError) return 'body-too-slow';
  return error instanceof BodyTooLargeError ? 'body-too-large' : cellOfUpstreamError(error);
}
