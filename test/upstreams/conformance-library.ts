/**
 * The suite's resources, prompts and completion. The first resource of the list must be readable.
 */
import {
  completable,
  ResourceTemplate,
  type McpServer,
  type PromptMessage,
  type ReadResourceResult,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { png } from './conformance-tools.js';

type Contents = ReadResourceResult['contents'][number];

const resources: readonly Contents[] = [
  { uri: 'test://static-text', mimeType: 'text/plain', text: 'This is the content of a static text resource.' },
  { uri: 'test://static-binary', mimeType: 'image/png', blob: png },
  { uri: 'test://watched-resource', mimeType: 'text/plain', text: 'Somebody may watch this.' },
];

/** Adds those to `server`. */
export function addLibrary(server: McpServer): void {
  for (const contents of resources) {
    const { uri, mimeType } = contents;
    const metadata = mimeType === undefined ? {} : { mimeType };
    server.registerResource(uri.replace('test://', ''), uri, metadata, () => ({ contents: [contents] }));
  }
  server.registerResource(
    'template',
    new ResourceTemplate('test://template/{id}/data', { list: undefined }),
    { mimeType: 'application/json' },
    ({ href }, { id }) => ({
      contents: [
        { uri: href, mimeType: 'application/json', text: JSON.stringify({ id, data: `Data of ${String(id)}` }) },
      ],
    }),
  );
  addPrompts(server);
}

function addPrompts(server: McpServer): void {
  const says = (text: string): PromptMessage => ({ role: 'user', content: { type: 'text', text } });
  const simple = { description: 'Takes no arguments' };
  server.registerPrompt('test_simple_prompt', simple, () => ({ messages: [says('This is a simple prompt.')] }));
  server.registerPrompt('test_prompt_with_image', simple, () => ({
    messages: [{ role: 'user', content: { type: 'image', data: png, mimeType: 'image/png' } }, says('What is this?')],
  }));

  const arg1 = completable(z.string(), (typed) => ['paris', 'park', 'party'].filter((word) => word.startsWith(typed)));
  server.registerPrompt(
    'test_prompt_with_arguments',
    { description: 'Repeats its arguments', argsSchema: z.object({ arg1, arg2: z.string() }) },
    (args) => ({ messages: [says(`arg1='${args.arg1}', arg2='${args.arg2}'`)] }),
  );
  server.registerPrompt(
    'test_prompt_with_embedded_resource',
    { description: 'Embeds a resource', argsSchema: z.object({ resourceUri: z.string() }) },
    ({ resourceUri }) => ({
      messages: [
        {
          role: 'user',
          content: { type: 'resource', resource: { uri: resourceUri, mimeType: 'text/plain', text: 'Embedded.' } },
        },
        says('Please read the resource above.'),
      ],
    }),
  );
}
