/**
 * HTTP+SSE, the transport of 2024-11-05 (basic/transports "HTTP with SSE"): GET opens a stream whose first event names the
 * URL to post to, and everything that the client is told comes on that stream. The session on it is a translated one like
 * any other, of whatever legacy revision; it lives as long as the stream.
 */
import { randomBytes } from 'node:crypto';
import { errorBody, refuse, RefusalError } from '../errors.js';
import { checkMediaType } from '../era/detect-client.js';
import { acceptableOf } from '../http/accept.js';
import type { TranslationContext } from '../translate/types.js';
import { readMessage, type Message, type Request } from '../wire/jsonrpc.js';
import type { Exchange } from './exchange.js';
import type { Gateway } from './gateway.js';
import { answering, contextFor, legacyTranslator, noteIntroduction, ownerOfRequest, wholeBody } from './route.js';
import { SessionStream } from './session-stream.js';

/** What is served at one URL. */
export interface Endpoint {
  readonly url: string;
  readonly serve: (exchange: Exchange) => Promise<void>;
}

/** The query of the URL to post to: the client's own, then which stream is meant. */
const query = /^(?:(.*)&)?sessionId=([\w-]+)$/;

/** The streams of one gateway. */
export class HttpSse {
  readonly #gateway: Gateway;
  /** By their ids, which cannot be guessed. */
  readonly #streams = new Map<string, SessionStream>();

  constructor(gateway: Gateway) {
    this.#gateway = gateway;
  }

  /**
   * What is served for the upstream at `path`. Posts are served under the path of `publicUrl` too: that is what the
   * endpoint event says, also to a client that came past whatever takes this prefix away.
   */
  endpoints(path: string): Endpoint[] {
    const gateway = this.#gateway;
    const below = path.replace(/\/$/, '');
    const prefix = gateway.config.publicUrl?.pathname.replace(/\/$/, '') ?? '';
    const announced = `${prefix}${below}/messages`;
    return [
      {
        url: `${below}/sse`,
        serve: (exchange) => answering(gateway, exchange, () => this.#open(exchange, announced)),
      },
      ...[...new Set([`${below}/messages`, announced])].map((url) => ({
        url,
        serve: (exchange: Exchange) => answering(gateway, exchange, () => this.#post(exchange)),
      })),
    ];
  }

  async #open(exchange: Exchange, announced: string): Promise<void> {
    const { request, upstream } = exchange;
    exchange.clientEra = 'legacy';
    expectVerb(exchange, 'GET');
    if (!acceptableOf(request.headers.accept).events) throw new RefusalError(refuse('not-acceptable'));
    const { speaks } = await this.#gateway.verdicts.get(upstream, request.headers.authorization);
    exchange.upstreamEra = speaks === 'legacy' ? 'legacy' : 'modern';
    if (speaks === 'legacy') throw new RefusalError(refuse('http-sse-not-carried'));
    await this.#ensureRoom();
    if (exchange.over) return;
    const id = randomBytes(24).toString('base64url');
    const [, own] = (request.url ?? '').split('?', 2);
    const stream = new SessionStream(exchange, ownerOfRequest(exchange), this.#gateway);
    this.#streams.set(id, stream);
    exchange.response.once('close', () => this.#streams.delete(id));
    stream.begin(`${announced}?${own ? `${own}&` : ''}sessionId=${id}`);
  }

  /** A stream may become a session, so there are no more of them. */
  async #ensureRoom(): Promise<void> {
    await this.#gateway.sessions.ensureRoom();
    if (this.#streams.size >= this.#gateway.config.limits.sessions) throw new RefusalError(refuse('sessions-full'));
  }

  async #post(exchange: Exchange): Promise<void> {
    exchange.clientEra = 'legacy';
    expectVerb(exchange, 'POST');
    const wrongType = checkMediaType(exchange.request.headers['content-type']);
    if (wrongType !== undefined) throw new RefusalError(wrongType);
    const message = readMessage(await wholeBody(this.#gateway, exchange));
    if (message.kind === 'malformed')
      throw new RefusalError(refuse(message.cell, { id: message.id, detail: message.detail }));
    if (message.kind === 'batch')
      throw new RefusalError(refuse('batch-not-allowed', { detail: 'nor in any session over HTTP+SSE' }));
    if ('method' in message) exchange.method = message.method;
    if (message.kind === 'request') exchange.id = message.id;
    const stream = this.#streamNamed(exchange);
    exchange.upstreamEra = 'modern';
    exchange.revision = stream.session?.revision;
    await this.#take(exchange, stream, message);
  }

  /** The stream that the URL names, for its owner only; takes its name out of the URL, which is no business of the upstream. */
  #streamNamed(exchange: Exchange): SessionStream {
    const { request, upstream } = exchange;
    const [path = '', search = ''] = (request.url ?? '').split('?', 2);
    const [, own, id = ''] = query.exec(search) ?? [];
    const stream = this.#streams.get(id);
    if (stream?.owner !== ownerOfRequest(exchange) || stream.upstream !== upstream.name)
      throw new RefusalError(refuse('session-unknown'));
    request.url = own ? `${path}?${own}` : path;
    return stream;
  }

  async #take(exchange: Exchange, stream: SessionStream, message: Message): Promise<void> {
    const gateway = this.#gateway;
    const context: TranslationContext = { ...contextFor(gateway, exchange), stream };
    const { session } = stream;
    if (session === undefined) {
      if (message.kind !== 'request' || message.method !== 'initialize')
        throw new RefusalError(refuse('initialize-first'));
      if (stream.owes()) throw new RefusalError(refuse('already-initialized'));
      noteIntroduction(gateway, message);
      return this.#accept(exchange, stream, message, legacyTranslator().initialize(exchange, message, context));
    }
    // Using a session is finding it.
    if ((await gateway.sessions.find(session.id, session)) === undefined)
      throw new RefusalError(refuse('session-unknown'));
    const work = legacyTranslator().message(exchange, session, message, context);
    // Everything but a request is answered by its 202 alone.
    return message.kind === 'request' ? this.#accept(exchange, stream, message, work) : work;
  }

  /** Answers 202, and has what becomes of `work` come on the stream. */
  #accept(exchange: Exchange, stream: SessionStream, request: Request, work: Promise<void>): void {
    const settled = work.catch((error: unknown) => {
      this.#gateway.log.error({ err: error, requestId: exchange.requestId }, 'an exchange failed');
      const refusal = refuse('internal', { id: request.id, detail: `request ${exchange.requestId}` });
      exchange.settle('refused', refusal.cell);
      stream.send(errorBody(refusal));
    });
    exchange.accept(stream.until(settled));
  }
}

/** Throws a RefusalError (`http-sse-verb`) for any other method. */
function expectVerb({ request }: Exchange, verb: 'GET' | 'POST'): void {
  if (request.method !== verb)
    throw new RefusalError(refuse('http-sse-verb', { headers: { allow: `${verb}, OPTIONS` } }));
}
