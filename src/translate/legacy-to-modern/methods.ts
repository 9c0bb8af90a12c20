/** What becomes of each method of a legacy client; whatever is not here is forwarded, the upstream knows best. */

/** How a request is served. */
export type RequestRoute =
  /** Answered here: the modern era has no such request. */
  | 'ping'
  | 'set-level'
  /** A second handshake in one session. */
  | 'initialize'
  | 'subscribe'
  | 'unsubscribe'
  | 'not-carried'
  | 'forward';

const routes: ReadonlyMap<string, RequestRoute> = new Map<string, RequestRoute>([
  ['ping', 'ping'],
  ['logging/setLevel', 'set-level'],
  ['initialize', 'initialize'],
  // The modern era subscribes by the filter of its one `subscriptions/listen`.
  ['resources/subscribe', 'subscribe'],
  ['resources/unsubscribe', 'unsubscribe'],
  // The tasks of 2025-11-25 have another wire format in the modern era.
  ['tasks/get', 'not-carried'],
  ['tasks/result', 'not-carried'],
  ['tasks/list', 'not-carried'],
  ['tasks/cancel', 'not-carried'],
  // No method of a legacy revision; forwarded, the second would hold its stream open for ever.
  ['server/discover', 'not-carried'],
  ['subscriptions/listen', 'not-carried'],
]);

/** How a request with this method is served. */
export function routeOf(method: string): RequestRoute {
  return routes.get(method) ?? 'forward';
}
