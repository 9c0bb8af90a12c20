/** The client side of a story: one label, one TCP connection, one exchange at a time. */
import { Agent, request, type ClientRequest, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { pairs, type Found } from './transcript-match.js';
import { Changing, MissingError } from './transcript-wait.js';
import type { MessagePart } from './transcript.js';

/** A client with one connection to the gateway. */
export class StoryClient {
  readonly #gateway: URL;
  readonly #changes = new Changing();
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  #socket: Socket | undefined;
  #request: ClientRequest | undefined;
  #response: IncomingMessage | undefined;
  #headTaken = true;
  #received = Buffer.alloc(0);
  #taken = 0;
  #over = true;
  #failure: Error | undefined;

  constructor(gateway: URL) {
    this.#gateway = gateway;
  }

  /** Sends one request, with Host and Content-Length where the story has none; `message` holds no `{{names}}`. */
  send(message: MessagePart): void {
    if (!this.#over) throw new Error('this connection still waits for an answer; use another label');
    const [method = '', path = ''] = message.startLine.split(' ');
    const body = Buffer.from(message.body);
    const headers = message.headers.flat();
    const names = message.headers.map(([name]) => name.toLowerCase());
    if (!names.includes('host')) headers.unshift('Host', this.#gateway.host);
    if (body.length > 0 && !names.includes('content-length')) headers.push('Content-Length', String(body.length));
    const { hostname, port } = this.#gateway;
    this.#response = undefined;
    this.#headTaken = false;
    this.#failure = undefined;
    this.#received = Buffer.alloc(0);
    this.#taken = 0;
    this.#over = false;
    const sent = request({ agent: this.#agent, host: hostname, port, method, path, headers });
    this.#request = sent;
    sent.on('socket', (socket) => this.#onSocket(socket));
    sent.on('response', (response) => this.#onResponse(response));
    sent.on('error', (error) => this.#finish(error));
    sent.end(body);
  }

  /** The next answer; of a stream, its head and as many events as `expected` begins with. */
  async answer(expected: MessagePart): Promise<Found> {
    await this.#changes.until(() => this.#response !== undefined || this.#failure !== undefined, 'answer');
    const response = this.#response;
    if (response === undefined)
      throw new MissingError(`the connection broke before the answer: ${this.#failure?.message}`);
    this.#headTaken = true;
    const head = {
      startLine: `HTTP/1.1 ${response.statusCode} ${response.statusMessage}`,
      headers: pairs(response.rawHeaders),
    };
    const streamed = /^text\/event-stream/.test(response.headers['content-type'] ?? '');
    if (streamed) return { ...head, body: expected.body === '' ? '' : await this.events(expected.body) };
    await this.#changes.until(() => this.#over, 'end of the answer');
    if (this.#failure !== undefined) throw new MissingError(`the answer broke off: ${this.#failure.message}`);
    return { ...head, body: this.#take() };
  }

  /** As many events of the stream as `expected` holds, or what has come when the deadline passes. */
  async events(expected: string): Promise<string> {
    const wanted = blocks(expected);
    const enough = (): boolean =>
      wanted > 0 ? blocks(this.#rest()) >= wanted : this.#rest().length >= expected.length;
    try {
      await this.#changes.until(() => enough() || this.#over, 'event');
    } catch (error) {
      if (!(error instanceof MissingError) || this.#rest() === '') throw error;
    }
    return this.#take(wanted);
  }

  /** Waits for the end of the exchange: `end` if the answer was complete, else `broken`. */
  async ending(): Promise<'end' | 'broken'> {
    await this.#changes.until(() => this.#over, 'end of the answer');
    return this.#failure === undefined ? 'end' : 'broken';
  }

  /** Drops the connection. */
  abort(): void {
    this.#request?.destroy();
    this.reconnect();
  }

  /** Lets the next request come on a new connection. */
  reconnect(): void {
    this.#socket?.destroy();
    this.#socket = undefined;
  }

  /** What has come and was not asked for; empty if nothing. */
  unread(): string {
    if (this.#response === undefined || this.#headTaken) return this.#rest();
    return `HTTP/1.1 ${this.#response.statusCode} ${this.#rest()}`;
  }

  /** Whether an answer, or the end of one, is still to come. */
  get busy(): boolean {
    return !this.#over;
  }

  close(): void {
    this.#agent.destroy();
    this.#request?.destroy();
  }

  #onSocket(socket: Socket): void {
    if (this.#socket !== undefined && this.#socket !== socket) {
      this.#finish(new Error('the gateway closed the connection after the answer before this one'));
      return;
    }
    this.#socket = socket;
  }

  #onResponse(response: IncomingMessage): void {
    this.#response = response;
    response.on('data', (chunk: Buffer) => {
      this.#received = Buffer.concat([this.#received, chunk]);
      this.#changes.changed();
    });
    response.on('end', () => this.#finish());
    response.on('error', (error) => this.#finish(error));
    this.#changes.changed();
  }

  #finish(failure?: Error): void {
    if (this.#over) return;
    this.#over = true;
    this.#failure = failure;
    this.#changes.changed();
  }

  #rest(): string {
    return this.#received.subarray(this.#taken).toString();
  }

  #take(events = 0): string {
    const rest = this.#rest();
    const end = events === 0 ? rest.length : endOfBlock(rest, events);
    this.#taken += Buffer.byteLength(rest.slice(0, end));
    return rest.slice(0, end);
  }
}

const endOfEvent = /\r\n\r\n|\n\n|\r\r/g;

function blocks(text: string): number {
  return text.match(endOfEvent)?.length ?? 0;
}

function endOfBlock(text: string, count: number): number {
  const hit = [...text.matchAll(endOfEvent)][count - 1];
  return hit === undefined ? text.length : hit.index + hit[0].length;
}
