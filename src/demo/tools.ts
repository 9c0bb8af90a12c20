/**
 * The tools of the demo upstreams. They compute and keep nothing, and are written once for both eras: the SDK turns an
 * `inputRequired` result into a pushed request on a legacy session.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  acceptedContent,
  inputRequired,
  inputResponse,
  type CallToolResult,
  type InputRequiredResult,
  type McpServer,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { convert, units } from './units.js';

/** Adds every demo tool to `server`. */
export function addTools(server: McpServer): void {
  addEcho(server);
  addConvertUnits(server);
  addTextStats(server);
  addCountdown(server);
  addPlanTrip(server);
}

function addEcho(server: McpServer): void {
  server.registerTool(
    'echo',
    {
      title: 'Echo',
      description: 'Gives the text back',
      inputSchema: z.object({ text: z.string() }),
      annotations: { readOnlyHint: true },
    },
    ({ text }) => said(text),
  );
}

function addConvertUnits(server: McpServer): void {
  server.registerTool(
    'convert_units',
    {
      title: 'Convert units',
      description: `Converts between units of length, mass, volume and temperature: ${[...units.keys()].join(', ')}`,
      inputSchema: z.object({ value: z.number(), from: z.string(), to: z.string() }),
      outputSchema: z.object({ value: z.number(), unit: z.string() }),
      annotations: { readOnlyHint: true },
    },
    ({ value, from, to }) => structured({ value: convert(value, from, to), unit: to }),
  );
}

function addTextStats(server: McpServer): void {
  server.registerTool(
    'text_stats',
    {
      title: 'Text statistics',
      description: 'Counts the characters, words and lines of a text and estimates its reading time',
      inputSchema: z.object({ text: z.string() }),
      outputSchema: z.object({
        characters: z.number(),
        words: z.number(),
        lines: z.number(),
        readingSeconds: z.number(),
      }),
      annotations: { readOnlyHint: true },
    },
    ({ text }) => {
      const words = text.match(/\S+/g)?.length ?? 0;
      return structured({
        characters: [...text].length,
        words,
        lines: text === '' ? 0 : text.split('\n').length,
        readingSeconds: Math.round((words / 230) * 60), // adults read about 230 words a minute
      });
    },
  );
}

function addCountdown(server: McpServer): void {
  server.registerTool(
    'countdown',
    {
      title: 'Countdown',
      description: 'Counts down, reporting progress at each step; stops at once when it is cancelled',
      inputSchema: z.object({
        from: z.number().int().min(1).max(60).default(5),
        stepMs: z.number().int().min(10).max(5_000).default(200),
      }),
    },
    async ({ from, stepMs }, { mcpReq }) => {
      const progressToken = mcpReq._meta?.progressToken;
      await mcpReq.log('info', `counting down from ${from}`);
      for (let done = 1; done <= from; done++) {
        await sleep(stepMs, undefined, { signal: mcpReq.signal });
        if (progressToken === undefined) continue;
        const message = done < from ? `${from - done} to go` : 'lift-off';
        await mcpReq.notify({
          method: 'notifications/progress',
          params: { progressToken, progress: done, total: from, message },
        });
      }
      return said('lift-off');
    },
  );
}

const tripForm = z.object({ days: z.number().int().min(1).max(14), pace: z.enum(['relaxed', 'busy']) });

function addPlanTrip(server: McpServer): void {
  server.registerTool(
    'plan_trip',
    {
      title: 'Plan a trip',
      description: 'Asks how long and how busy the trip should be, then lays out its days',
      inputSchema: z.object({ city: z.string() }),
    },
    ({ city }, { mcpReq }): CallToolResult | InputRequiredResult => {
      const answer = inputResponse(mcpReq.inputResponses, 'trip');
      if (answer.kind === 'elicit' && answer.action !== 'accept') return said(`No trip to ${city} then.`);
      const trip = acceptedContent(mcpReq.inputResponses, 'trip', tripForm);
      if (trip !== undefined) return said(itinerary(city, trip));
      const ask = inputRequired.elicit({ message: `How should the trip to ${city} be?`, requestedSchema: tripForm });
      return inputRequired({ inputRequests: { trip: ask } });
    },
  );
}

function itinerary(city: string, { days, pace }: z.infer<typeof tripForm>): string {
  const sights = ['the old town', 'a museum', 'the market', 'a park', 'the river', 'a viewpoint'];
  const perDay = pace === 'busy' ? 3 : 1;
  const lines = Array.from({ length: days }, (_, day) => {
    const stops = Array.from({ length: perDay }, (_, stop) => sights[(day * perDay + stop) % sights.length]);
    return `Day ${day + 1}: ${stops.join(', ')}`;
  });
  return [`${city}, ${days} ${days === 1 ? 'day' : 'days'}, ${pace}:`, ...lines].join('\n');
}

function said(text: string): CallToolResult {
  return { content: [{ type: 'text', text }] };
}

/** Structured content, with the text that older clients show instead (2025-11-25, tools, "Structured Content"). */
function structured(value: Record<string, unknown>): CallToolResult {
  return { ...said(JSON.stringify(value)), structuredContent: value };
}
