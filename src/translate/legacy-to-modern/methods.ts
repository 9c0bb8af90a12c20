/** What becomes of each method of a legacy client; whatever is not here is forwarded, the upstream knows best. */

/** How a request is served. */
export type RequestRoute =
  /** Answered here: the modern era has no such request. */
  | 'ping'
  | 'set-level'
  /** A second handshake in one session. */
  | 'initialize'
  /** Needs the GET stream, which does not reach a modern upstream yet. */
  | 'not-carried'
  | 'forward';

const routes: ReadonlyMap<string, RequestRoute> = new Map<string, RequestRoute>([
  ['ping', 'ping'],
  ['logging/setLevel', 'set-level'],
  ['initialize', 'initialize'],
  ['resources/subscribe', 'not-carried'],
  ['resources/unsubscribe', 'not-carried'],
]);

/** How a request with this method is served. */
export function routeOf(method: string): RequestRoute {
  return routes.get(method) ?? 'forward';
}
