/** A call of a legacy client whose stream is read message by message, while the client answers what it is asked. */
import type { IncomingMessage } from 'node:http';
import { SseDecoder } from '../../../../src/wire/sse-decode.js';
import { answer, type Script } from '../../../upstreams/scripted.js';
import type { Rig } from './rig.js';

/** One message to the client. */
export interface Said {
  /** As it came. */
  readonly text: string;
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string };
}

/** The answer to one call while it comes. */
export interface Conversation {
  readonly incoming: IncomingMessage;
  /** The next message; undefined at the end of the stream. Rejects after 5 seconds. */
  next(): Promise<Said | undefined>;
}

/** POSTs `body` and gives the head of its answer; the messages are still to be read. */
export async function converse(rig: Rig, session: string, body: string): Promise<Conversation> {
  const incoming = await rig.open(session, body);
  const messages = read(incoming);
  return {
    incoming,
    async next() {
      const late = setTimeout(() => incoming.destroy(new Error('the next message did not come')), 5_000);
      const { value } = await messages.next().finally(() => clearTimeout(late));
      return value === undefined ? undefined : { ...(JSON.parse(value) as Said), text: value };
    },
  };
}

async function* read(incoming: IncomingMessage): AsyncGenerator<string, undefined> {
  const decoder = new SseDecoder();
  for await (const chunk of incoming)
    for (const { data } of decoder.push(chunk as Buffer)) if (data.length > 0) yield data.toString();
  return undefined;
}

/** The client's answer to what it was asked; `id` is the text of the id. Resolves with the HTTP status. */
export async function respond(rig: Rig, session: string, id: unknown, payload: string): Promise<number> {
  const { status, body } = await rig.post(session, `{"jsonrpc":"2.0","id":${JSON.stringify(id)},${payload}}`);
  if (body.length > 0) throw new Error(`not a bare ${status}: ${body.toString()}`);
  return status;
}

/** An upstream's answer with this raw result, to whatever id was asked. */
export const says =
  (result: string): Script =>
  (seen, socket) => {
    const { id } = JSON.parse(seen.body.toString()) as { id: unknown };
    return answer({ body: `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}` })(seen, socket);
  };

/** An InputRequiredResult; both are raw JSON. */
export const asks = (requests: string | undefined, state?: string): Script =>
  says(
    `{"resultType":"input_required"${requests === undefined ? '' : `,"inputRequests":${requests}`}${state === undefined ? '' : `,"requestState":${state}`}}`,
  );
