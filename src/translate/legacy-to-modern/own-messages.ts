/** Messages of the gateway itself towards a legacy client; `id`, `params` and `result` are raw JSON. */

/** The answer to a request. */
export function resultOf({ id }: { readonly id: string }, result: Buffer | string): Buffer {
  return Buffer.concat([Buffer.from(`{"jsonrpc":"2.0","id":${id},"result":`), Buffer.from(result), Buffer.from('}')]);
}

/** A request to the client. */
export function requestOf(id: string, method: string, params: string | undefined): Buffer {
  const rest = params === undefined ? '' : `,"params":${params}`;
  return Buffer.from(`{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(method)}${rest}}`);
}

/** A notification to the client. */
export function notificationOf(method: string, params: string): Buffer {
  return Buffer.from(`{"jsonrpc":"2.0","method":${JSON.stringify(method)},"params":${params}}`);
}
