/**
 * What the demo upstreams offer to read: a resource, a resource template and a prompt.
 */
import { completable, type McpServer, ResourceTemplate } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Era } from '../wire/meta-keys.js';
import { quantities, units, unitsOf } from './units.js';

/** Adds the demo's resources and prompt to `server`, which speaks `era`. */
export function addLibrary(server: McpServer, era: Era): void {
  addAbout(server, era);
  addUnitList(server);
  addExplainUnit(server);
}

function addAbout(server: McpServer, era: Era): void {
  server.registerResource(
    'about',
    'demo://about',
    { title: 'About this server', description: 'Which era it speaks', mimeType: 'text/plain' },
    ({ href }) => ({
      contents: [{ uri: href, mimeType: 'text/plain', text: `A demo MCP server. It speaks only the ${era} era.` }],
    }),
  );
}

function addUnitList(server: McpServer): void {
  const template = new ResourceTemplate('demo://units/{quantity}', {
    list: undefined,
    complete: { quantity: (typed) => quantities.filter((quantity) => quantity.startsWith(typed)) },
  });
  server.registerResource(
    'units',
    template,
    { title: 'Units of a quantity', description: quantities.join(', '), mimeType: 'application/json' },
    ({ href }, { quantity }) => ({
      contents: [{ uri: href, mimeType: 'application/json', text: JSON.stringify(unitsOf(String(quantity))) }],
    }),
  );
}

function addExplainUnit(server: McpServer): void {
  const unit = completable(z.string().describe('The symbol of a unit'), (typed) =>
    [...units.keys()].filter((symbol) => symbol.startsWith(typed)),
  );
  server.registerPrompt(
    'explain_unit',
    { title: 'Explain a unit', description: 'Asks for the story of a unit', argsSchema: z.object({ unit }) },
    (args) => ({
      messages: [
        {
          role: 'user',
          content: {
            type: 'text',
            text: `What does the unit "${args.unit}" measure, where does it come from, and where is it used today?`,
          },
        },
      ],
    }),
  );
}
