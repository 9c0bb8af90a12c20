/**
 * The suite's tools that need nothing from the client: content of every kind, errors, logs, progress, a stream that is closed
 * early, triggers of list changes, and two input schemas that must arrive untouched.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  fromJsonSchema,
  type CallToolResult,
  type ContentBlock,
  type JsonSchemaType,
  type McpServer,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Serving } from '../../src/demo/build.js';

/** One red pixel. */
export const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
/** One sample of silence. */
const wav = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQIAAAAAAA==';

const text = (value: string): ContentBlock => ({ type: 'text', text: value });
const image: ContentBlock = { type: 'image', data: png, mimeType: 'image/png' };
const resource: ContentBlock = {
  type: 'resource',
  resource: { uri: 'test://embedded-resource', mimeType: 'text/plain', text: 'This is an embedded resource.' },
};

/** Tools that always answer the same. The first of the list must accept empty arguments. */
const constant: readonly (readonly [string, readonly ContentBlock[]])[] = [
  ['test_simple_text', [text('This is a simple text response for testing.')]],
  ['test_image_content', [image]],
  ['test_audio_content', [{ type: 'audio', data: wav, mimeType: 'audio/wav' }]],
  ['test_embedded_resource', [resource]],
  ['test_multiple_content_types', [text('Several kinds of content:'), image, resource]],
  ['test_streaming_elicitation', [text('A result, and no request on its stream.')]],
];

/** Every keyword here must reach the client as it stands. */
const schema2020: JsonSchemaType = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
};

const headerSchema = {
  type: 'object',
  properties: { region: { type: 'string', 'x-mcp-header': 'Region' }, level: { type: 'integer' } },
} as JsonSchemaType;

/** Adds those tools to `server`. */
export function addTools(server: McpServer, { changes }: Serving): void {
  for (const [name, content] of constant) {
    server.registerTool(name, { description: `Always answers the same: ${name}` }, () => ({ content: [...content] }));
  }
  server.registerTool('test_error_handling', { description: 'Always fails' }, () => {
    throw new Error('This tool fails on purpose.');
  });
  addLogging(server);
  addProgress(server);
  addReconnection(server);
  addSchemas(server);
  const triggers = {
    test_trigger_tool_change: () => changes.toolsChanged(),
    test_trigger_prompt_change: () => changes.promptsChanged(),
  };
  for (const [name, announce] of Object.entries(triggers)) {
    server.registerTool(name, { description: 'Announces that a list has changed' }, () => {
      announce();
      return said('announced');
    });
  }
}

function addLogging(server: McpServer): void {
  const empty = { inputSchema: z.object({}) };
  server.registerTool(
    'test_tool_with_logging',
    { description: 'Logs three times', ...empty },
    async (_, { mcpReq }) => {
      for (const step of ['started', 'working', 'done']) {
        await mcpReq.log('info', `Tool execution ${step}`);
        await sleep(50, undefined, { signal: mcpReq.signal });
      }
      return said('logged three times');
    },
  );
  server.registerTool('test_logging_tool', { description: 'Logs once', ...empty }, async (_, { mcpReq }) => {
    await mcpReq.log('info', 'only for who asked');
    return said('logged once');
  });
}

function addProgress(server: McpServer): void {
  const config = { description: 'Reports progress three times', inputSchema: z.object({}) };
  server.registerTool('test_tool_with_progress', config, async (_, { mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken;
    for (const progress of progressToken === undefined ? [] : [0, 50, 100]) {
      const params = { progressToken, progress, total: 100, message: `${progress} of 100` };
      await mcpReq.notify({ method: 'notifications/progress', params });
      await sleep(50, undefined, { signal: mcpReq.signal });
    }
    return said('finished');
  });
}

function addReconnection(server: McpServer): void {
  const config = { description: 'Closes its own stream, then answers', inputSchema: z.object({}) };
  server.registerTool('test_reconnection', config, async (_, { http }) => {
    http?.closeSSE?.(); // legacy sessions only: the client polls for the rest (2025-11-25, transports)
    await sleep(100);
    return said('answered after the stream was closed');
  });
}

function addSchemas(server: McpServer): void {
  const echo = (args: unknown) => said(JSON.stringify(args));
  server.registerTool(
    'json_schema_2020_12_tool',
    { description: 'Takes a JSON Schema 2020-12 input', inputSchema: fromJsonSchema(schema2020) },
    echo,
  );
  server.registerTool(
    'test_x_mcp_header',
    { description: 'Has an argument that is mirrored in a header', inputSchema: fromJsonSchema(headerSchema) },
    echo,
  );
}

/** A result of one text. */
export function said(value: string): CallToolResult {
  return { content: [text(value)] };
}
