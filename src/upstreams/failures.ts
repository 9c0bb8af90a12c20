/** What an undici or socket error means for the one who waits for the answer. */

/** The cells of an upstream that gave no answer. */
export type UpstreamFailure =
  'upstream-unreachable' | 'upstream-timeout' | 'upstream-reset' | 'upstream-unintelligible';

/** Errors by code; whatever is not here broke off an exchange that had begun. */
const failures: ReadonlyMap<string, UpstreamFailure> = new Map([
  ['ECONNREFUSED', 'upstream-unreachable'],
  ['ENOTFOUND', 'upstream-unreachable'],
  ['EAI_AGAIN', 'upstream-unreachable'],
  ['EHOSTUNREACH', 'upstream-unreachable'],
  ['ENETUNREACH', 'upstream-unreachable'],
  ['UND_ERR_CONNECT_TIMEOUT', 'upstream-unreachable'],
  // Our own pool is closing: the request was never written.
  ['UND_ERR_CLOSED', 'upstream-unreachable'],
  ['UND_ERR_DESTROYED', 'upstream-unreachable'],
  ['UND_ERR_HEADERS_TIMEOUT', 'upstream-timeout'],
  ['UND_ERR_BODY_TIMEOUT', 'upstream-timeout'],
  ['ETIMEDOUT', 'upstream-timeout'],
  ['UND_ERR_HEADERS_OVERFLOW', 'upstream-unintelligible'],
]);

/** TLS handshakes fail before a request is written: `CERT_HAS_EXPIRED`, `ERR_TLS_CERT_ALTNAME_INVALID`, … */
const tlsCodes = /^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|EPROTO$)/;

/**
 * The cell of `error`. `upstream-unreachable` promises that the request was never written; `upstream-timeout` and
 * `upstream-reset` may have been executed (RFC 9110 §9.2.2: a POST is not sent again).
 */
export function cellOfUpstreamError(error: unknown): UpstreamFailure {
  const { code, syscall } = error as { code?: unknown; syscall?: unknown };
  if (syscall === 'connect' || syscall === 'getaddrinfo') return 'upstream-unreachable';
  if (typeof code !== 'string') return 'upstream-reset';
  // What came is not HTTP, in the words of undici's parser.
  if (code.startsWith('HPE_') && code !== 'HPE_INVALID_EOF_STATE') return 'upstream-unintelligible';
  return failures.get(code) ?? (tlsCodes.test(code) ? 'upstream-unreachable' : 'upstream-reset');
}
