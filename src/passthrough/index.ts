/**
 * The hot path: client and upstream speak the same era, and a message goes through as the bytes it came in. Only
 * header fields are touched; nothing here parses a body, and no stream is held back.
 */
import type { Exchange } from '../edge/exchange.js';
import { forwardedHeaders } from '../http/headers.js';
import type { RequestKind } from '../upstreams/http.js';
import { Relay, type RelayOptions } from './relay.js';
import { BodyStream, hasNoBody, type RequestBody, type StreamBounds } from './request-body.js';

/** How one exchange is passed through. */
export interface PassThroughOptions extends RelayOptions {
  /** The bytes that were classified; or the request as it streams in; or none. */
  readonly body: Buffer | 'stream' | 'none';
  readonly kind: RequestKind;
  /** Of a body that streams in; beyond them `body-too-large` or `body-too-slow`. */
  readonly bounds: StreamBounds;
  /** Last word on the header fields that go up, a flat `[name, value, …]` list. */
  readonly headers?: ((headers: string[]) => string[]) | undefined;
}

/**
 * Passes `exchange` through to its upstream and the answer back. Whatever happens, the exchange ends: with the
 * upstream's answer, a refusal (`upstream-…`) that carries the request's id where it can be read, or, once the head
 * is out, a broken connection. A client that leaves cancels the request.
 */
export function passThrough(exchange: Exchange, options: PassThroughOptions): void {
  const { request } = exchange;
  if (exchange.over) return; // it left while the edge was still asking what the upstream speaks
  const { body } = options;
  if (Buffer.isBuffer(body)) send(exchange, options, body);
  else if (body === 'none' || hasNoBody(request)) send(exchange, options, null);
  else send(exchange, options, new BodyStream(request, options.bounds));
}

function send(exchange: Exchange, options: PassThroughOptions, body: RequestBody): void {
  const { request, upstream } = exchange;
  const headers = forwardedHeaders(request, body instanceof BodyStream);
  const url = request.url ?? '';
  const query = url.indexOf('?');
  exchange.upstreamBegan();
  upstream.dispatch(
    {
      method: request.method ?? 'POST',
      headers: options.headers?.(headers) ?? headers,
      body,
      kind: options.kind,
      search: query === -1 ? undefined : url.slice(query),
    },
    new Relay(exchange, options, body),
  );
}
