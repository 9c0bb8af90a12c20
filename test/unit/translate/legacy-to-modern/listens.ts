/** A scripted modern upstream whose subscriptions a test holds in its hands, and a legacy client's GET stream. */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { SseDecoder } from '../../../../src/wire/sse-decode.js';
import { chunk, head, type Script, type Seen } from '../../../upstreams/scripted.js';
import { open } from '../../passthrough/gateway.js';
import { eventually, type Rig } from './rig.js';

/** What a subscription asked for. */
interface Notifications {
  readonly toolsListChanged?: true;
  readonly promptsListChanged?: true;
  readonly resourcesListChanged?: true;
  readonly resourceSubscriptions?: readonly string[];
}

/** One subscription at the upstream. */
export interface Held {
  readonly seen: Seen;
  readonly asked: Notifications;
  /** Acknowledges what was asked for, or `honoured`. */
  acknowledge(honoured?: Notifications): void;
  /** Says that `uri`, or the list of tools, has changed. */
  changed(uri?: string): void;
  /** Sends any message; `ID` in it stands for the id of the subscription. */
  say(message: string): void;
  /** Ends the stream, or breaks the connection. */
  end(): void;
  reset(): void;
}

/** The upstream's side. */
export interface Listens {
  readonly script: Script;
  readonly all: readonly Held[];
  /** The subscription with this index, as soon as it is there. */
  get(index: number): Promise<Held>;
}

/** Takes every request for a subscription; `at` is called for each, for those that need no hand. */
export function listens(at: (held: Held, index: number) => void = () => undefined): Listens {
  const all: Held[] = [];
  return {
    all,
    get: (index) => eventually(() => all[index]),
    script: (seen, socket) => {
      const held = hold(seen, socket);
      all.push(held);
      at(held, all.length - 1);
    },
  };
}

function hold(seen: Seen, socket: Socket): Held {
  const { id, params } = JSON.parse(seen.body.toString()) as { id: string; params: { notifications: Notifications } };
  let begun = false;
  const say = (message: string): void => {
    if (!begun) socket.write(head(200, ['Content-Type', 'text/event-stream', 'Transfer-Encoding', 'chunked']));
    begun = true;
    socket.write(chunk(`data: ${message.replaceAll('ID', JSON.stringify(id))}\n\n`));
  };
  const notify = (method: string, members: string): void =>
    say(
      `{"jsonrpc":"2.0","method":"notifications/${method}","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":ID}${members}}}`,
    );
  return {
    seen,
    asked: params.notifications,
    say,
    acknowledge: (honoured = params.notifications) =>
      notify('subscriptions/acknowledged', `,"notifications":${JSON.stringify(honoured)}`),
    changed: (uri) =>
      uri === undefined
        ? notify('tools/list_changed', '')
        : notify('resources/updated', `,"uri":${JSON.stringify(uri)}`),
    end: () => void socket.write(chunk('')),
    reset: () => void socket.resetAndDestroy(),
  };
}

/** A client's GET stream. */
export interface Listener {
  readonly incoming: IncomingMessage;
  /** What came so far: the URI of an update, or the method. */
  readonly events: readonly string[];
  /** Every message as it came. */
  readonly raw: readonly string[];
  /** Resolves at the end of the stream: whether it was a proper one. */
  readonly ended: Promise<boolean>;
  leave(): void;
}

/** Opens a GET stream and reads it on. */
export async function listenTo(rig: Rig, session: string, headers: Record<string, string> = {}): Promise<Listener> {
  const incoming = await open(rig.url, undefined, {
    method: 'GET',
    headers: { accept: 'text/event-stream', 'mcp-session-id': session, ...headers },
  });
  const events: string[] = [];
  const raw: string[] = [];
  const decoder = new SseDecoder();
  incoming.on('data', (bytes: Buffer) => {
    for (const { data } of decoder.push(bytes)) {
      const { method, params } = JSON.parse(data.toString()) as { method: string; params?: { uri?: string } };
      events.push(params?.uri ?? method);
      raw.push(data.toString());
    }
  });
  const ended = new Promise<boolean>((resolve) => {
    incoming.on('error', () => undefined).once('close', () => resolve(incoming.complete));
  });
  return { incoming, events, raw, ended, leave: () => void incoming.destroy() };
}

/** The body of a request about a subscription. */
export const subscription = (verb: 'subscribe' | 'unsubscribe', uri: string, id = 1): string =>
  `{"jsonrpc":"2.0","id":${id},"method":"resources/${verb}","params":{"uri":${JSON.stringify(uri)}}}`;
