/**
 * The generations of the official SDK, version 1, that clients in the field are built on, and what each of them can do. An older one
 * is handled as the newest with less: what it lacks stands in this table, and no feature asks it for that.
 */
import type * as ClientModule from '@modelcontextprotocol/sdk/client/index.js';
import type { FetchLike, Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type * as Schemas from '@modelcontextprotocol/sdk/types.js';
import { EventSource } from 'eventsource';

/** What a feature may need of a client. */
export type Ability =
  /** Headers of the caller's own. */
  | 'headers'
  /** A session with an id, as Streamable HTTP has it. */
  | 'session'
  | 'audio'
  | 'resource-links'
  | 'elicitation'
  | 'url-elicitation'
  /** The capability `completions`; the request is older. */
  | 'completions';

/** What a transport is made with. */
interface TransportOptions {
  readonly fetch: FetchLike;
  readonly requestInit: { readonly headers: Record<string, string> };
}

/** A transport of any generation. */
type AnyTransport = Transport & { terminateSession?(): Promise<void> };

type TransportClass = new (url: URL, options?: object) => AnyTransport;

/** One generation, over one transport. */
export interface Generation {
  readonly name: string;
  /** The newest revision that it speaks, and so asks for. */
  readonly revision: string;
  readonly carrier: Carrier;
  /** What it names in `MCP-Protocol-Version`. */
  readonly header: string | undefined;
  readonly abilities: ReadonlySet<Ability>;
  /** Whether its transports go through a `fetch` of the test, so that everything it is told can be looked at. */
  readonly watched: boolean;
  load(): Promise<{ readonly Client: typeof ClientModule.Client; readonly schemas: typeof Schemas }>;
  transport(url: URL, options: TransportOptions): Promise<AnyTransport>;
}

/** How messages travel. */
export type Carrier = 'Streamable HTTP' | 'HTTP+SSE';

/** What the content of a revision may be, and what clients that ask for it can do; each revision has what the older ones have. */
const since: readonly (readonly [revision: string, ability: Ability])[] = [
  ['2025-03-26', 'audio'],
  ['2025-03-26', 'completions'],
  ['2025-06-18', 'resource-links'],
  ['2025-06-18', 'elicitation'],
  ['2025-11-25', 'url-elicitation'],
];

/** Package, revision, and the carriers that it has a client for. */
const table: readonly (readonly [name: string, revision: string, carriers: readonly Carrier[]])[] = [
  ['mcp-sdk-1.0', '2024-11-05', ['HTTP+SSE']],
  ['mcp-sdk-1.10', '2024-11-05', ['Streamable HTTP', 'HTTP+SSE']],
  ['mcp-sdk-1.12', '2025-03-26', ['Streamable HTTP', 'HTTP+SSE']],
  ['mcp-sdk-1.13', '2025-06-18', ['Streamable HTTP', 'HTTP+SSE']],
  ['mcp-sdk-1.20', '2025-06-18', ['Streamable HTTP', 'HTTP+SSE']],
  ['mcp-sdk-1.25', '2025-11-25', ['Streamable HTTP', 'HTTP+SSE']],
  ['@modelcontextprotocol/sdk', '2025-11-25', ['Streamable HTTP', 'HTTP+SSE']],
];

const takesFetch = ['mcp-sdk-1.20', 'mcp-sdk-1.25', '@modelcontextprotocol/sdk'];

/** Every generation over every transport that it has. */
export const generations: readonly Generation[] = table.flatMap(([name, revision, carriers]) =>
  carriers.map((carrier) => generation(name, revision, carrier)),
);

/** The last of version 1. */
export const newest = generation('@modelcontextprotocol/sdk', '2025-11-25', 'Streamable HTTP');

function generation(name: string, revision: string, carrier: Carrier): Generation {
  const abilities = new Set(since.filter(([first]) => first <= revision).map(([, ability]) => ability));
  if (carrier === 'Streamable HTTP') abilities.add('session');
  // The first one hands its EventSource the URL and nothing else.
  if (name !== 'mcp-sdk-1.0') abilities.add('headers');
  return {
    name,
    revision,
    carrier,
    header: revision >= '2025-06-18' ? revision : undefined,
    abilities,
    watched: takesFetch.includes(name),
    load: async () => {
      const [{ Client }, schemas] = await Promise.all([
        import(`${name}/client/index.js`) as Promise<typeof ClientModule>,
        import(`${name}/types.js`) as Promise<typeof Schemas>,
      ]);
      return { Client, schemas };
    },
    transport: carrier === 'Streamable HTTP' ? streamableHttp(name) : httpSse(name),
  };
}

function streamableHttp(name: string): Generation['transport'] {
  return async (url, options) => {
    const module = (await import(`${name}/client/streamableHttp.js`)) as Record<string, TransportClass>;
    const Transport = module['StreamableHTTPClientTransport'] as TransportClass;
    return new Transport(url, options);
  };
}

/** The stream is opened with the caller's headers too, which the older generations have to be told. */
function httpSse(name: string): Generation['transport'] {
  return async (url, { fetch, requestInit }) => {
    const module = (await import(`${name}/client/sse.js`)) as Record<string, TransportClass>;
    const Transport = module['SSEClientTransport'] as TransportClass;
    globalThis.EventSource ??= EventSource as never; // 1.0 takes it from the browser
    const open: FetchLike = (to, init) =>
      fetch(to, { ...init, headers: { ...(init?.headers as Record<string, string>), ...requestInit.headers } });
    return new Transport(new URL(`${url.href}/sse`), { fetch, requestInit, eventSourceInit: { fetch: open } });
  };
}
