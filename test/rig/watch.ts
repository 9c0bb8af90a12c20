/**
 * A `fetch` for SDK clients that looks at everything the server says on its way in, and checks it against the JSON Schema of the
 * client's revision: each answer against the result type of the method that it answers, each notification and request against its own.
 */
import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { createParser } from 'eventsource-parser';
import type { Era } from '../../src/wire/meta-keys.js';

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
  readonly result?: { readonly resultType?: string };
  readonly error?: unknown;
}

/** Watches one client of `era`. */
export class Watch {
  /** What was not as the schema says. */
  readonly faults: string[] = [];
  /** How many messages were looked at. */
  seen = 0;
  readonly #era: Era;
  readonly #asked = new Map<string | number, string>();

  constructor(era: Era) {
    this.#era = era;
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
    const validate = validator(this.#era, type);
    if (validate?.(value) === true) return;
    const why = validate?.errors?.map(({ instancePath, message = '' }) => `${instancePath} ${message}`).join('; ');
    this.faults.push(
      `not a ${type} of ${revisions[this.#era]}: ${why ?? 'there is no such type'}: ${json.slice(0, 500)}`,
    );
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

const ajvs = new Map<Era, Ajv2020>();

function validator(era: Era, type: string): ValidateFunction | undefined {
  let ajv = ajvs.get(era);
  if (ajv === undefined) {
    ajv = new Ajv2020({ strict: false });
    formats.default(ajv, ['uri', 'uri-template', 'byte', 'date-time', 'email']);
    const file = new URL(`schemas/${revisions[era]}.json`, import.meta.url);
    ajv.addSchema(JSON.parse(readFileSync(file, 'utf8')) as object, 'mcp');
    ajvs.set(era, ajv);
  }
  return ajv.getSchema(`mcp#/$defs/${type}`);
}
