/** The upstream side of a story: requests are taken in the order in which they come, answers are raw bytes. */
import type { Socket } from 'node:net';
import { chunk, scripted, type Scripted, type Seen } from '../upstreams/scripted.js';
import { pairs, type Found } from './transcript-match.js';
import { Changing } from './transcript-wait.js';
import type { MessagePart } from './transcript.js';

interface Arrival {
  readonly seen: Seen;
  readonly socket: Socket;
  gone: boolean;
}

/** One upstream; a label names the request that it took last. */
export class StoryUpstream {
  readonly #changes = new Changing();
  readonly #arrivals: Arrival[] = [];
  readonly #taken = new Map<string, Arrival>();
  #server: Scripted | undefined;

  /** Listens; returns the URL of the endpoint. */
  async start(): Promise<URL> {
    this.#server = await scripted((seen, socket) => this.#arrived({ seen, socket, gone: false }));
    return this.#server.url;
  }

  /** The next request, which `label` names from now on. */
  async request(label: string): Promise<Found> {
    await this.#changes.until(() => this.#arrivals.length > 0, 'request to the upstream');
    const arrival = this.#arrivals.shift() as Arrival;
    this.#taken.set(label, arrival);
    const { seen } = arrival;
    return {
      startLine: `${seen.method} ${seen.target} HTTP/1.1`,
      headers: pairs(seen.rawHeaders),
      body: seen.body.toString(),
    };
  }

  /** Answers the request that `label` names; a stream stays open. */
  answer(label: string, message: MessagePart): void {
    const names = message.headers.map(([name]) => name.toLowerCase());
    const headers = [...message.headers];
    if (message.streamed && !names.includes('transfer-encoding')) headers.push(['Transfer-Encoding', 'chunked']);
    if (!message.streamed && !names.includes('content-length') && !/^HTTP\/1.1 (204|304)/.test(message.startLine)) {
      headers.push(['Content-Length', String(Buffer.byteLength(message.body))]);
    }
    const head = [message.startLine, ...headers.map(([name, value]) => `${name}: ${value}`), '', ''].join('\r\n');
    const body = message.streamed && message.body !== '' ? chunk(message.body) : Buffer.from(message.body);
    this.#of(label).socket.write(Buffer.concat([Buffer.from(head), body]));
  }

  /** Sends more of a stream. */
  more(label: string, text: string): void {
    this.#of(label).socket.write(chunk(text));
  }

  /** Ends a stream as it should be (`end`), with FIN in the middle (`close`) or with RST (`reset`). */
  finish(label: string, how: string): void {
    const { socket } = this.#of(label);
    if (how === 'end') socket.write(chunk(''));
    else if (how === 'close') socket.end();
    else if (how === 'reset') socket.resetAndDestroy();
    else throw new Error(`U< knows [end], [close] and [reset], not [${how}]`);
  }

  /** Waits until the gateway has given up the request that `label` names. */
  async abandoned(label: string): Promise<void> {
    const arrival = this.#of(label);
    await this.#changes.until(() => arrival.gone, 'end of the connection to the upstream');
  }

  /** Requests that nobody took, as `METHOD path body`. */
  unread(): string[] {
    return this.#arrivals.map(({ seen }) => `${seen.method} ${seen.target} ${seen.body.toString()}`);
  }

  async close(): Promise<void> {
    await this.#server?.close();
  }

  #arrived(arrival: Arrival): void {
    this.#arrivals.push(arrival);
    void arrival.seen.gone.then(() => {
      arrival.gone = true;
      this.#changes.changed();
    });
    this.#changes.changed();
  }

  #of(label: string): Arrival {
    const arrival = this.#taken.get(label);
    if (arrival === undefined) throw new Error(`no request was taken as G${label}> yet`);
    return arrival;
  }
}
