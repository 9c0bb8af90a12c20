/**
 * Every error the gateway can answer with, in one table. A `cell` is the stable name of one reason for
 * refusing a message: the same word in logs, metrics, tests and docs/errors.md (generated from this table).
 */

/** Which clients can meet an error. */
type Eras = 'legacy' | 'modern' | 'both';

interface Row {
  /** HTTP status of the answer. */
  readonly status: number;
  /** JSON-RPC error code; absent where the answer carries no JSON-RPC body. */
  readonly code?: number;
  readonly eras: Eras;
  /** What is wrong and what would be accepted. */
  readonly sentence: string;
  /** Headers that belong to every answer of this cell. */
  readonly headers?: Readonly<Record<string, string>>;
}

const table = {
  // --- the HTTP edge -------------------------------------------------------------------------------
  'unknown-path': {
    status: 404,
    code: -32600,
    eras: 'both',
    sentence: 'No MCP endpoint is served at this path.',
  },
  'method-not-allowed': {
    status: 405,
    code: -32600,
    eras: 'both',
    sentence: 'This endpoint accepts POST, GET, DELETE and OPTIONS.',
    headers: { allow: 'POST, GET, DELETE, OPTIONS' },
  },
  'get-not-offered': {
    status: 405,
    code: -32600,
    eras: 'both',
    sentence: 'No event stream is offered by GET here; send requests by POST.',
    headers: { allow: 'POST, DELETE, OPTIONS' },
  },
  'http-sse-verb': {
    status: 405,
    code: -32600,
    eras: 'legacy',
    sentence: 'In HTTP+SSE, GET opens the event stream, and messages are posted to the URL of its endpoint event.',
  },
  'http-sse-not-carried': {
    status: 501,
    code: -32600,
    eras: 'legacy',
    sentence:
      'HTTP+SSE is served in front of modern servers only, and the server behind this endpoint is legacy; ' +
      'use Streamable HTTP, at this URL without /sse.',
  },
  'session-id-missing': {
    status: 400,
    code: -32600,
    eras: 'legacy',
    sentence: 'GET and DELETE need the Mcp-Session-Id header that the answer to initialize carried.',
  },
  'unsupported-media-type': {
    status: 415,
    code: -32600,
    eras: 'both',
    sentence: 'The Content-Type of a POST must be application/json.',
  },
  'not-acceptable': {
    status: 406,
    code: -32600,
    eras: 'both',
    sentence: 'The Accept header must allow application/json or text/event-stream.',
  },
  'body-too-large': {
    status: 413,
    code: -32600,
    eras: 'both',
    sentence: 'The request body is larger than limits.body allows.',
    headers: { connection: 'close' },
  },
  'body-too-slow': {
    status: 408,
    code: -32600,
    eras: 'both',
    sentence: 'The request body did not arrive within limits.bodyTimeout.',
    headers: { connection: 'close' },
  },
  'origin-not-allowed': {
    status: 403,
    code: -32600,
    eras: 'both',
    sentence: 'The Origin of this request is not listed in allow.origins.',
  },
  'host-not-allowed': {
    status: 403,
    code: -32600,
    eras: 'both',
    sentence: 'The Host of this request is not listed in allow.hosts.',
  },
  'bad-header': {
    status: 400,
    code: -32600,
    eras: 'both',
    sentence: 'A request header is malformed or sent more than once.',
  },
  'hop-by-hop-nomination': {
    status: 400,
    code: -32600,
    eras: 'both',
    sentence: 'The Connection header must not name an end-to-end header such as Mcp-Session-Id or Authorization.',
  },
  'head-malformed': {
    status: 400,
    code: -32600,
    eras: 'both',
    sentence: 'The head of this request cannot be read as HTTP/1.1.',
  },
  'head-too-large': {
    status: 431,
    code: -32600,
    eras: 'both',
    sentence: 'The head of this request is larger than 16 KiB.',
  },
  'head-too-slow': {
    status: 408,
    code: -32600,
    eras: 'both',
    sentence: 'The head of this request did not arrive within limits.headerTimeout.',
  },
  'expectation-unmet': {
    status: 417,
    code: -32600,
    eras: 'both',
    sentence: 'The only expectation that is met is 100-continue.',
  },
  // --- the shape of a message ----------------------------------------------------------------------
  'not-json': {
    status: 400,
    code: -32700,
    eras: 'both',
    sentence: 'The body is not valid JSON in UTF-8.',
  },
  'not-json-rpc': {
    status: 400,
    code: -32600,
    eras: 'both',
    sentence: 'The body must be one JSON-RPC 2.0 object whose id, if any, is a string or an integer.',
  },
  'duplicate-member': {
    status: 400,
    code: -32600,
    eras: 'both',
    sentence: 'A routing member (jsonrpc, id, method, params, name, uri, taskId, taskHandle or _meta) stands twice.',
  },
  'batch-not-allowed': {
    status: 400,
    code: -32600,
    eras: 'both',
    sentence: 'A JSON array is not accepted here; send one JSON-RPC message per POST.',
  },
  'batch-refused': {
    status: 400,
    code: -32600,
    eras: 'legacy',
    sentence: 'Nothing of this batch was done: it may hold 100 messages, and each id once.',
  },
  // --- the era of a client -------------------------------------------------------------------------
  'initialize-first': {
    status: 400,
    code: -32600,
    eras: 'legacy',
    sentence:
      'Invalid request parameters: initialize comes first and its Mcp-Session-Id goes with every later request; ' +
      'a modern client names its revision in MCP-Protocol-Version and in params._meta.',
  },
  'already-initialized': {
    status: 400,
    code: -32600,
    eras: 'legacy',
    sentence: 'This session has been initialized already; open a new one without Mcp-Session-Id.',
  },
  'session-unknown': {
    status: 404,
    code: -32600,
    eras: 'legacy',
    sentence: 'No such session: it ended, expired, or is not yours. Send initialize to open a new one.',
  },
  'session-ended': {
    status: 404,
    code: -32600,
    eras: 'legacy',
    sentence: 'The session of this request has ended.',
  },
  'id-in-use': {
    status: 400,
    code: -32600,
    eras: 'legacy',
    sentence: 'A request with this id is under way in this session.',
  },
  'sessions-full': {
    status: 503,
    code: -32603,
    eras: 'legacy',
    sentence: 'The gateway holds as many sessions as limits.sessions allows; try again later.',
    headers: { 'retry-after': '10' },
  },
  'unsupported-revision': {
    status: 400,
    code: -32022,
    eras: 'modern',
    sentence: 'Unsupported protocol version',
  },
  'header-mismatch': {
    status: 400,
    code: -32020,
    eras: 'modern',
    sentence: 'Header mismatch',
  },
  'envelope-incomplete': {
    status: 400,
    code: -32602,
    eras: 'modern',
    sentence: 'The envelope in params._meta is incomplete.',
  },
  // --- what this gateway does not carry ------------------------------------------------------------
  'pair-not-served': {
    status: 400,
    code: -32022,
    eras: 'modern',
    sentence:
      'The server behind this endpoint speaks legacy revisions only, and this gateway does not carry modern ' +
      'requests to legacy servers yet; open with initialize.',
  },
  'method-not-carried': {
    status: 200,
    code: -32601,
    eras: 'legacy',
    sentence: 'This method is not carried to a modern server yet.',
  },
  'params-invalid': {
    status: 200,
    code: -32602,
    eras: 'legacy',
    sentence: 'The parameters of this request are not those of its method.',
  },
  'subscription-refused': {
    status: 200,
    code: -32602,
    eras: 'legacy',
    sentence: 'The server does not promise to tell of changes of this resource.',
  },
  'subscriptions-unknown': {
    status: 200,
    code: -32601,
    eras: 'legacy',
    sentence: 'The server knows no subscriptions.',
  },
  // --- input that the server asks for ----------------------------------------------------------------
  'input-not-declared': {
    status: 200,
    code: -32602,
    eras: 'legacy',
    sentence: 'The server asks for input that this client has not declared it can give.',
  },
  'input-needs-stream': {
    status: 200,
    code: -32603,
    eras: 'legacy',
    sentence: 'The server asks for input, which needs a stream: the Accept header must allow text/event-stream.',
  },
  'input-failed': {
    status: 200,
    code: -32603,
    eras: 'legacy',
    sentence: 'The client failed to give the input that the server asks for.',
  },
  'input-timeout': {
    status: 200,
    code: -32603,
    eras: 'legacy',
    sentence: 'The client did not give the input that the server asks for within limits.input.',
  },
  'input-endless': {
    status: 200,
    code: -32603,
    eras: 'legacy',
    sentence: 'The server asks for input again and again, and never answers.',
  },
  // --- the upstream --------------------------------------------------------------------------------
  'upstream-unreachable': {
    status: 502,
    code: -32603,
    eras: 'both',
    sentence: 'The upstream server cannot be reached.',
  },
  'upstream-reset': {
    status: 502,
    code: -32603,
    eras: 'both',
    sentence: 'The upstream server closed the connection before it had answered; it may have executed the request.',
  },
  'upstream-timeout': {
    status: 504,
    code: -32603,
    eras: 'both',
    sentence: 'The upstream server did not answer in time; it may have executed the request.',
  },
  'upstream-unintelligible': {
    status: 502,
    code: -32603,
    eras: 'both',
    sentence: 'The upstream server answered with something that is not the answer to this request.',
  },
  'upstream-failed': {
    status: 502,
    code: -32603,
    eras: 'both',
    sentence: 'The upstream server answered with an HTTP error.',
  },
  'upstream-redirect': {
    status: 502,
    code: -32603,
    eras: 'both',
    sentence: 'The upstream server answered with a redirect, which the gateway does not follow.',
  },
  'upstream-auth': {
    status: 401,
    code: -32600,
    eras: 'both',
    sentence: 'The upstream server wants other credentials.',
  },
  'upstream-forbidden': {
    status: 403,
    code: -32600,
    eras: 'both',
    sentence: 'The upstream server does not allow this to these credentials.',
  },
  'upstream-credential': {
    status: 502,
    code: -32603,
    eras: 'both',
    sentence: "The upstream server refused the gateway's own credential; the operator has to mend it.",
  },
  // --- the gateway itself --------------------------------------------------------------------------
  'shutting-down': {
    status: 503,
    code: -32603,
    eras: 'both',
    sentence: 'The gateway is shutting down.',
    headers: { 'retry-after': '5', connection: 'close' },
  },
  internal: {
    status: 500,
    code: -32603,
    eras: 'both',
    sentence: 'The gateway failed; the log has the details under the request id of this answer.',
  },
} as const satisfies Record<string, Row>;

/** The stable name of one reason for refusing a message. */
export type Cell = keyof typeof table;

/** The table itself, read-only, for docs/errors.md and for tests. */
export const errorTable: Readonly<Record<Cell, Row>> = table;

/** One refusal: a row of the table and what is particular to this case. */
export interface Refusal {
  readonly kind: 'refused';
  readonly cell: Cell;
  /** The request's id as raw JSON (`7`, `"a"`), exactly as it was sent; absent where none could be read. */
  readonly id?: string | undefined;
  /** Appended to the sentence of the table: what exactly was wrong. */
  readonly detail?: string | undefined;
  /** Becomes `error.data`. */
  readonly data?: unknown;
  /** Added to the headers of the table. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Makes a refusal of `cell`; `more` holds the request's id and what is particular to this case. */
export function refuse(cell: Cell, more: Omit<Refusal, 'kind' | 'cell'> = {}): Refusal {
  return { kind: 'refused', cell, ...more };
}

/** A refusal that travels as an exception, for code in which the answer is not the return value. */
export class RefusalError extends Error {
  constructor(
    readonly refusal: Refusal,
    options?: ErrorOptions,
  ) {
    super(`${refusal.cell}: ${sentenceOf(refusal)}`, options);
    this.name = 'RefusalError';
  }
}

/** What a refusal says: the sentence of the table, and what is particular to this case. */
export function sentenceOf(refusal: Refusal): string {
  const { sentence } = errorTable[refusal.cell];
  return refusal.detail === undefined ? sentence : `${sentence.replace(/\.$/, '')}: ${refusal.detail}`;
}

/**
 * The JSON-RPC error object of a refusal, as bytes. Where no id could be read the member is left out, as the
 * schema of 2026-07-28 wants (`JSONRPCErrorResponse.id` is optional and never null).
 */
export function errorBody(refusal: Refusal): Buffer {
  const row = errorTable[refusal.cell];
  const error = JSON.stringify({
    code: row.code ?? -32603,
    message: sentenceOf(refusal),
    ...(refusal.data === undefined ? {} : { data: refusal.data }),
  });
  const id = refusal.id === undefined ? '' : `"id":${refusal.id},`;
  return Buffer.from(`{"jsonrpc":"2.0",${id}"error":${error}}`);
}

/** A refusal as an HTTP answer: status, headers (lower-case names) and body. */
export function renderRefusal(refusal: Refusal): {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
} {
  const row = errorTable[refusal.cell];
  const body = errorBody(refusal);
  return {
    status: row.status,
    headers: {
      'content-type': 'application/json',
      'content-length': String(body.length),
      ...row.headers,
      ...refusal.headers,
    },
    body,
  };
}
