/**
 * The two real SDK clients behind one face: version 1 as the legacy client, version 2 pinned to 2026-07-28 as the modern one.
 * Only what differs between them is here; results are handed on as they are.
 */
import {
  Client as ModernSdk,
  LOG_LEVEL_META_KEY,
  StreamableHTTPClientTransport as ModernTransport,
  type McpSubscription,
  type VersionNegotiationMode,
} from '@modelcontextprotocol/client';
import type { Era } from '../../src/wire/meta-keys.js';
import { Watch } from '../rig/watch.js';
import { newest, type Generation } from './generations.js';

/** What a client tells about itself, and how it answers when it is asked. */
export interface Persona {
  readonly name?: string;
  /** The answer to an elicitation; without it, the client declares no such capability. The same for the others. */
  readonly elicit?: (params: Record<string, unknown>) => Record<string, unknown>;
  /** The same for an elicitation at a url. */
  readonly visit?: (params: Record<string, unknown>) => Record<string, unknown>;
  readonly sample?: string;
  readonly roots?: readonly string[];
  /** Sent with every request. */
  readonly headers?: Record<string, string>;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly onprogress?: (progress: Record<string, unknown>) => void;
  readonly meta?: Record<string, unknown>;
}

type LogLevel = 'debug' | 'info' | 'warning' | 'error';
type Item = Record<string, unknown>;

/** The session of a legacy client. */
export interface Session {
  readonly id: string;
  /** Tells the server that it is over (DELETE). */
  end(): Promise<void>;
}

/** A connected client. */
export interface TestClient {
  readonly era: Era;
  readonly watch: Watch;
  /** What the server said of itself. */
  server(): { name?: string | undefined; capabilities: unknown; instructions: string | undefined };
  call(name: string, args?: Record<string, unknown>, options?: CallOptions): Promise<Item>;
  /** Every item of a list, over all its pages. */
  list(kind: 'tools' | 'prompts' | 'resources' | 'resourceTemplates'): Promise<Item[]>;
  prompt(name: string, args?: Record<string, string>): Promise<Item>;
  read(uri: string): Promise<Item>;
  complete(prompt: string, argument: string, value: string): Promise<string[]>;
  /** Asks for log messages of `level` and above from now on. */
  logLevel(level: LogLevel): Promise<void>;
  /** Asks for changes of the tools, of the prompts, and of the resource `uri`. */
  follow(uri: string): Promise<void>;
  /** Log messages so far, as `level: text`; and changes, as the method and what changed. */
  readonly logs: string[];
  readonly changes: string[];
  /** What only a legacy client has; the session, only over Streamable HTTP. */
  ping?(): Promise<unknown>;
  /** Ends the updates of the resource `uri`. */
  unfollow?(uri: string): Promise<void>;
  readonly session?: Session;
  /** Ends the session where there is one, and disconnects. */
  close(): Promise<void>;
}

const capabilitiesOf = ({ elicit, visit, sample, roots }: Persona) => ({
  ...((elicit ?? visit) && { elicitation: { ...(elicit && { form: {} }), ...(visit && { url: {} }) } }),
  ...(sample !== undefined && { sampling: {} }),
  ...(roots && { roots: {} }),
});
const sampleOf = (text: string) => ({
  role: 'assistant' as const,
  model: 'test-model',
  content: { type: 'text' as const, text },
});
const transportOptions = ({ fetch }: Watch, { headers = {} }: Persona) => ({ fetch, requestInit: { headers } });
/** How a client answers an elicitation of either mode; undefined if it takes none. */
const elicitorOf = ({ elicit, visit }: Persona) =>
  (elicit ?? visit) &&
  ((params: Record<string, unknown>) => {
    const answer = params['mode'] === 'url' ? visit : elicit;
    if (answer === undefined) throw new Error('this was never declared');
    return answer(params);
  });
const rootsOf = (uris: readonly string[]) => ({ roots: uris.map((uri) => ({ uri })) });

/** Connects a client of `era` to `url`. */
export async function connect(era: Era, url: string, persona: Persona = {}): Promise<TestClient> {
  return era === 'legacy' ? connectLegacy(url, persona) : connectModern(url, persona, { pin: '2026-07-28' });
}

/** Connects a legacy client of one generation of the SDK; `url` is where its transport goes. */
export async function connectLegacy(
  url: string,
  persona: Persona = {},
  generation: Generation = newest,
): Promise<TestClient> {
  const watch = new Watch('legacy');
  const { Client, schemas } = await generation.load();
  const sdk = new Client(
    { name: persona.name ?? 'legacy-client', version: '1.2.3' },
    { capabilities: capabilitiesOf(persona) },
  );
  const { sample, roots } = persona;
  const elicit = elicitorOf(persona);
  if (elicit) sdk.setRequestHandler(schemas.ElicitRequestSchema, ({ params }) => elicit({ ...params }) as never);
  if (sample !== undefined) sdk.setRequestHandler(schemas.CreateMessageRequestSchema, () => sampleOf(sample));
  if (roots) sdk.setRequestHandler(schemas.ListRootsRequestSchema, () => rootsOf(roots));
  const logs: string[] = [];
  const changes: string[] = [];
  sdk.setNotificationHandler(schemas.LoggingMessageNotificationSchema, ({ params }) => {
    logs.push(`${params.level}: ${String(params.data)}`);
  });
  for (const schema of [schemas.ToolListChangedNotificationSchema, schemas.PromptListChangedNotificationSchema]) {
    sdk.setNotificationHandler(schema, ({ method }) => void changes.push(method));
  }
  sdk.setNotificationHandler(schemas.ResourceUpdatedNotificationSchema, ({ method, params }) => {
    changes.push(`${method} ${params.uri}`);
  });
  if (generation.revision >= '2025-11-25')
    sdk.setNotificationHandler(schemas.ElicitationCompleteNotificationSchema, ({ method, params }) => {
      changes.push(`${method} ${params.elicitationId}`);
    });
  const transport = await generation.transport(new URL(url), transportOptions(watch, persona));
  await sdk.connect(transport);
  const { sessionId } = transport;

  const pages = {
    tools: (cursor?: string) => sdk.listTools({ cursor }),
    prompts: (cursor?: string) => sdk.listPrompts({ cursor }),
    resources: (cursor?: string) => sdk.listResources({ cursor }),
    resourceTemplates: (cursor?: string) => sdk.listResourceTemplates({ cursor }),
  };
  return {
    era: 'legacy',
    watch,
    logs,
    changes,
    server: () => ({
      name: sdk.getServerVersion()?.name,
      capabilities: sdk.getServerCapabilities(),
      instructions: sdk.getInstructions?.(), // since 1.1
    }),
    call: (name, args, { meta, ...options } = {}) =>
      sdk.callTool({ name, ...(args && { arguments: args }), ...(meta && { _meta: meta }) }, undefined, options),
    list: async (kind) => {
      const items: Item[] = [];
      let cursor: string | undefined;
      do {
        const page: Item = await pages[kind](cursor);
        items.push(...(page[kind] as Item[]));
        cursor = page['nextCursor'] as string | undefined;
      } while (cursor !== undefined);
      return items;
    },
    prompt: (name, args) => sdk.getPrompt({ name, ...(args && { arguments: args }) }),
    read: (uri) => sdk.readResource({ uri }),
    complete: async (prompt, name, value) =>
      (await sdk.complete({ ref: { type: 'ref/prompt', name: prompt }, argument: { name, value } })).completion.values,
    logLevel: async (level) => void (await sdk.setLoggingLevel(level)),
    // List changes come unasked on the stream that the SDK opens by itself.
    follow: async (uri) => void (await sdk.subscribeResource({ uri })),
    ping: () => sdk.ping(),
    unfollow: async (uri) => void (await sdk.unsubscribeResource({ uri })),
    ...(sessionId !== undefined && {
      session: { id: sessionId, end: async () => transport.terminateSession?.() },
    }),
    close: async () => {
      await transport.terminateSession?.().catch(() => undefined);
      await sdk.close();
    },
  };
}

/** Connects the modern client; `mode` says whether it may fall back to the legacy handshake. */
export async function connectModern(
  url: string,
  persona: Persona = {},
  mode: VersionNegotiationMode,
): Promise<TestClient & { readonly sdk: ModernSdk }> {
  const watch = new Watch(mode === 'auto' ? 'legacy' : 'modern');
  const sdk = new ModernSdk(
    { name: persona.name ?? 'modern-client', version: '1.2.3' },
    { capabilities: capabilitiesOf(persona), versionNegotiation: { mode } },
  );
  const { sample, roots } = persona;
  const elicit = elicitorOf(persona);
  if (elicit) sdk.setRequestHandler('elicitation/create', async ({ params }) => elicit({ ...params }) as never);
  if (sample !== undefined) sdk.setRequestHandler('sampling/createMessage', async () => sampleOf(sample));
  if (roots) sdk.setRequestHandler('roots/list', async () => rootsOf(roots));
  const logs: string[] = [];
  const changes: string[] = [];
  sdk.setNotificationHandler('notifications/message', ({ params }) => {
    logs.push(`${params.level}: ${String(params.data)}`);
  });
  for (const method of ['notifications/tools/list_changed', 'notifications/prompts/list_changed'] as const) {
    sdk.setNotificationHandler(method, () => void changes.push(method));
  }
  sdk.setNotificationHandler('notifications/resources/updated', ({ method, params }) => {
    changes.push(`${method} ${params.uri}`);
  });
  await sdk.connect(new ModernTransport(new URL(url), transportOptions(watch, persona)));

  const all = {
    tools: async () => (await sdk.listTools()).tools,
    prompts: async () => (await sdk.listPrompts()).prompts,
    resources: async () => (await sdk.listResources()).resources,
    resourceTemplates: async () => (await sdk.listResourceTemplates()).resourceTemplates,
  };
  let level: LogLevel | undefined;
  let subscription: McpSubscription | undefined;
  return {
    era: 'modern',
    watch,
    sdk,
    logs,
    changes,
    server: () => ({
      name: sdk.getServerVersion()?.name,
      capabilities: sdk.getServerCapabilities(),
      instructions: sdk.getInstructions(),
    }),
    call: (name, args, { meta, ...options } = {}) => {
      const _meta = { ...meta, ...(level && { [LOG_LEVEL_META_KEY]: level }) };
      return sdk.callTool({ name, ...(args && { arguments: args }), _meta }, options);
    },
    list: (kind) => all[kind](),
    prompt: (name, args) => sdk.getPrompt({ name, ...(args && { arguments: args }) }),
    read: (uri) => sdk.readResource({ uri }),
    complete: async (prompt, name, value) =>
      (await sdk.complete({ ref: { type: 'ref/prompt', name: prompt }, argument: { name, value } })).completion.values,
    // The modern era has no level of a session: it travels with each request.
    logLevel: async (wanted) => void (level = wanted),
    follow: async (uri) => {
      subscription = await sdk.listen({
        toolsListChanged: true,
        promptsListChanged: true,
        resourceSubscriptions: [uri],
      });
    },
    close: async () => {
      await subscription?.close();
      await sdk.close();
    },
  };
}
