/**
 * A `fetch` for SDK clients that looks at everything the server says on its way in, and checks it against the JSON Schema of the
 * client's revision: each answer against the result type of the method that it answers, each notification and request against its own.
 */
import { createParser } from 'eventsource-parser';
import type { Era } from '../../src/wire/meta-keys.js';
import { schemaFault } from './schemas.js';

/** What is spoken until `initialize` has agreed on something else. */
const revisions: Readonly<Record<Era, string>> = { legacy: '2025-11-25', modern: '2026-07-28' };

/** What a successful answer to each method must be. */
const results: Readonly<Record<string, string>> = {
  initialize: 'InitializeResult',
  ping: 'EmptyResult',
  'server/discover': 'DiscoverResult',
  'tools/list': 'ListToolsResult',
  'tools/call': 'CallToolResult',
  'prompts/list': 'ListPromptsResult',
  'prompts/get': 'GetPromptResult',
  'resources/list': 'ListResourcesResult',
  'resources/templates/list': 'ListResourceTemplatesResult',
  'resources/read': 'ReadResourceResult',
  'resources/subscribe': 'EmptyResult',
  'resources/unsubscribe': 'EmptyResult',
  'completion/complete': 'CompleteResult',
  'logging/setLevel': 'EmptyResult',
  'subscriptions/listen': 'SubscriptionsListenResult',
};

interface JsonRpc {
  readonly id?: string | number;
  readonly method?: string;
  readonly result?: { readonly resultType?: string; readonly protocolVersion?: string };
  readonly error?: unknown;
}

/** Watches one client of `era`. */
export class Watch {
  /** What was not as the schema says. */
  readonly faults: string[] = [];
  /** How many messages were looked at. */
  seen = 0;
  readonly #era: Era;
  #revision: string;
  readonly #asked = new Map<string | number, string>();

  constructor(era: Era) {
    this.#era = era;
    this.#revision = revisions[era];
  }

  /** To be given to the client's transport. */
  readonly fetch = async (url: string | URL, init?: RequestInit): Promise<Response> => {
    if (typeof init?.body === 'string') this.#note(JSON.parse(init.body) as JsonRpc);
    const response = await fetch(url, init);
    const look = this.#looker(response.headers.get('content-type') ?? '');
    if (response.body === null || look === undefined) return response;
    // In the stream, not beside it: a client that cancels must cancel the real thing.
    const watched = new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        look.chunk(chunk);
        controller.enqueue(chunk);
      },
      flush: () => look.end(),
    });
    return new Response(response.body.pipeThrough(watched), response);
  };

  #note({ id, method }: JsonRpc): void {
    if (id !== undefined && method !== undefined) this.#asked.set(id, method);
  }

  /** What to do with the bytes of a body of this type. */
  #looker(type: string): { chunk(bytes: Uint8Array): void; end(): void } | undefined {
    const decoder = new TextDecoder();
    if (type.startsWith('text/event-stream')) {
      const parser = createParser({
        onEvent: ({ event, data }) => event !== 'endpoint' && data !== '' && this.#check(data),
      });
      return { chunk: (bytes) => parser.feed(decoder.decode(bytes, { stream: true })), end: () => undefined };
    }
    if (!type.startsWith('application/json')) return undefined;
    let whole = '';
    return { chunk: (bytes) => (whole += decoder.decode(bytes, { stream: true })), end: () => this.#check(whole) };
  }

  #check(json: string): void {
    this.seen++;
    const message = JSON.parse(json) as JsonRpc;
    const [type, value] = this.#expected(message);
    if (type === 'InitializeResult') this.#revision = message.result?.protocolVersion ?? this.#revision;
    const fault = schemaFault(this.#revision, type, value);
    if (fault !== undefined) this.faults.push(`${fault}: ${json.slice(0, 500)}`);
  }

  #expected(message: JsonRpc): [string, unknown] {
    if (message.error !== undefined) return ['JSONRPCErrorResponse', message];
    if (message.result === undefined) {
      const isRequest = message.id !== undefined && this.#era === 'legacy';
      return [isRequest ? 'ServerRequest' : 'ServerNotification', message];
    }
    const method = this.#asked.get(message.id ?? '') ?? 'a method that was never asked for';
    if (message.result.resultType === 'input_required') return ['InputRequiredResult', message.result];
    return [results[method] ?? method, message.result];
  }
}
