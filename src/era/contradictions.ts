/** When an answer says that the verdict on an upstream is out of date. Pure. */
import { memberAt, rawText } from '../wire/json.js';
import { readMessage } from '../wire/jsonrpc.js';
import type { Era } from '../wire/meta-keys.js';

/** The statuses with which a server turns down a request of another era. */
const turnsDown: ReadonlySet<number> = new Set([400, 404, 405]);

/** Codes of modern servers, and of no others (2026-07-28, basic/index "Error Codes"). */
const modernOnly: ReadonlySet<string> = new Set(['-32020', '-32021', '-32022']);

/** All codes with which a modern server turns down a request. */
const modern: ReadonlySet<string> = new Set([...modernOnly, '-32700', '-32600', '-32601', '-32602', '-32603']);

/** What is known of an answer; `code` is the raw JSON of its error's code, if it is a JSON-RPC error. */
export interface TurnedDown {
  readonly status: number;
  readonly code: string | undefined;
  /** Of the request. */
  readonly method: string | undefined;
}

/** Whether no server of the era `believed` answers a client of that era so. A wrong yes costs a probe, no more. */
export function contradicts(believed: Era, { status, code, method }: TurnedDown): boolean {
  if (!turnsDown.has(status)) return code === '-32022';
  if (code === undefined) return true;
  if (believed === 'modern') return code === '-32022' || !modern.has(code);
  return modernOnly.has(code) || (method === 'initialize' && code === '-32601');
}

/** The raw JSON of the code of a JSON-RPC error, or undefined where `body` is none. */
export function errorCodeIn(body: Buffer): string | undefined {
  const message = readMessage(body);
  if (message.kind !== 'error') return undefined;
  const code = memberAt(body, message.error, ['code'])?.value;
  return code && rawText(body, code);
}
