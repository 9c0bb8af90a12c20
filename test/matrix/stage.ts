/**
 * What the matrix needs of an upstream beyond the conformance fixture: tools that tell what reached the server, and one that holds
 * a call until the test lets it go. The upstream runs in the test's own process, so a test sees what the server sees.
 */
import { EventEmitter, once } from 'node:events';
import {
  acceptedContent,
  CLIENT_INFO_META_KEY,
  fromJsonSchema,
  inputRequired,
  inputResponse,
  type InputRequiredResult,
  type JsonSchemaType,
  type McpServer,
  type ReadResourceResult,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Serving } from '../../src/demo/build.js';
import { said } from '../upstreams/conformance-tools.js';

/** How long a test waits for something to happen, in ms. */
export const patience = 5_000;

type Happening = 'started' | 'aborted' | 'finished';

/** The pages of `resources/templates/list`: a cursor is opaque, and may need care in a URL, a header or a string. */
const pages = ['first', 'second "=+/é', 'third'];

/** What happens at the upstream, call by call; a test gives each call a key of its own. */
export class Stage {
  readonly #events = new EventEmitter();

  /** Resolves when `what` happens to the call `key`; rejects after a while. Ask before it can happen. */
  async seen(what: Happening, key: string): Promise<void> {
    await once(this.#events, `${what} ${key}`, { signal: AbortSignal.timeout(patience) });
  }

  /** Lets the call `key` go on. */
  release(key: string): void {
    this.#events.emit(`release ${key}`);
  }

  /** Adds the stage's tools to a server. */
  readonly add = (server: McpServer, serving: Serving): void => {
    this.#addHold(server);
    addWitness(server, serving);
    addStructured(server);
    if (serving.era === 'modern') addModernTools(server);
    addSignIn(server);
    addTouch(server, serving);
    addPages(server);
    addAskingResource(server);
  };

  /** Reports progress and then waits, until it is let go or cancelled. */
  #addHold(server: McpServer): void {
    const config = { description: 'Waits', inputSchema: z.object({ key: z.string() }) };
    server.registerTool('matrix_hold', config, async ({ key }, { mcpReq }) => {
      const progressToken = mcpReq._meta?.progressToken;
      const released = once(this.#events, `release ${key}`, { signal: mcpReq.signal });
      this.#events.emit(`started ${key}`);
      if (progressToken !== undefined) {
        const params = { progressToken, progress: 1, total: 2, message: 'holding' };
        await mcpReq.notify({ method: 'notifications/progress', params });
      }
      try {
        await released;
      } catch (error) {
        this.#events.emit(`aborted ${key}`);
        throw error;
      }
      this.#events.emit(`finished ${key}`);
      return said(`let go: ${key}`);
    });
  }
}

/** Says what the server knows of its client and of this request. */
function addWitness(server: McpServer, { era }: Serving): void {
  const config = { description: 'Repeats everything', inputSchema: z.looseObject({}) };
  server.registerTool('matrix_witness', config, (args, { mcpReq, http }) => {
    const envelope: Readonly<Record<string, unknown>> = { ...mcpReq.envelope };
    const client = era === 'modern' ? envelope[CLIENT_INFO_META_KEY] : server.server.getClientVersion();
    const headers = Object.fromEntries(http?.req?.headers ?? []);
    return said(JSON.stringify({ client, meta: mcpReq._meta, args, headers }));
  });
}

function addStructured(server: McpServer): void {
  server.registerTool(
    'matrix_sum',
    {
      title: 'Sum',
      description: 'Adds up',
      inputSchema: z.object({ numbers: z.array(z.number()) }),
      outputSchema: z.object({ sum: z.number() }),
      annotations: { readOnlyHint: true, idempotentHint: true },
    },
    ({ numbers }) => {
      const structuredContent = { sum: numbers.reduce((sum, number) => sum + number, 0) };
      const link = { type: 'resource_link' as const, uri: 'test://static-text', name: 'static-text' };
      return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }, link], structuredContent };
    },
  );
}

/** What only a modern server may say of its tools. */
function addModernTools(server: McpServer): void {
  const region = (header: string) =>
    fromJsonSchema<{ region?: string }>({
      type: 'object',
      properties: { region: { type: 'string', 'x-mcp-header': header } },
    } as JsonSchemaType);
  for (const [name, header] of [
    ['matrix_region', 'Region'],
    ['matrix_region_broken', 'the region'],
  ] as const)
    server.registerTool(name, { description: 'Has a header', inputSchema: region(header) }, ({ region }, { http }) =>
      said(JSON.stringify({ region, header: http?.req?.headers.get('mcp-param-region') ?? undefined })),
    );
  server.registerTool(
    'matrix_squares',
    {
      description: 'Squares',
      inputSchema: z.object({ numbers: z.array(z.number()) }),
      outputSchema: z.array(z.number()),
    },
    ({ numbers }) => ({ content: [], structuredContent: numbers.map((number) => number * number) }),
  );
}

function addTouch(server: McpServer, { changes }: Serving): void {
  server.registerTool('matrix_touch', { description: 'Says that the watched resource has changed' }, () => {
    changes.resourceUpdated('test://watched-resource');
    return said('touched');
  });
}

function addPages(server: McpServer): void {
  server.server.setRequestHandler('resources/templates/list', ({ params }) => {
    const cursor = params?.cursor ?? 'first';
    const at = pages.indexOf(cursor);
    if (at === -1) throw new Error(`no page ${cursor}`);
    const next = pages[at + 1];
    return {
      resourceTemplates: [{ name: cursor, uriTemplate: `test://${at}/{id}` }],
      ...(next !== undefined && { nextCursor: next }),
    };
  });
}

/** Sends the user elsewhere, and goes on as soon as the user has agreed to that. */
function addSignIn(server: McpServer): void {
  const config = { description: 'Needs a sign-in', inputSchema: z.object({}) };
  server.registerTool('matrix_sign_in', config, (_, { mcpReq }) => {
    const response = inputResponse(mcpReq.inputResponses, 'account');
    if (response.kind === 'elicit') return said(`signed in: ${response.action}`);
    const account = inputRequired.elicitUrl({ message: 'Please sign in', url: 'https://accounts.example/start?a=%2F' });
    return inputRequired({ inputRequests: { account } });
  });
}

/** A resource that asks who reads it. */
function addAskingResource(server: McpServer): void {
  const uri = 'test://asking';
  server.registerResource('asking', uri, {}, (_url, { mcpReq }): ReadResourceResult | InputRequiredResult => {
    const name = acceptedContent(mcpReq.inputResponses, 'name', z.object({ name: z.string() }))?.name;
    if (name !== undefined) return { contents: [{ uri, text: `for ${name}` }] };
    const requestedSchema = { type: 'object' as const, properties: { name: { type: 'string' as const } } };
    return inputRequired({ inputRequests: { name: inputRequired.elicit({ message: 'Who reads?', requestedSchema }) } });
  });
}
