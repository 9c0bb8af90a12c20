/**
 * The suite's tools and prompt that ask the client for input. Each asks by returning `inputRequired(…)`, which the SDK turns
 * into pushed requests on a legacy session; so one definition serves both eras (2026-07-28, patterns, "Multi Round-Trip").
 */
import { randomBytes } from 'node:crypto';
import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  inputRequired,
  inputResponse,
  type CallToolResult,
  type ClientCapabilities,
  type GetPromptResult,
  type InputRequests,
  type InputRequiredResult,
  type McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Serving } from '../../src/demo/build.js';
import { said } from './conformance-tools.js';

type Responses = ServerContext['mcpReq']['inputResponses'];
type Outcome = CallToolResult | InputRequiredResult;
type ElicitParams = Parameters<typeof inputRequired.elicit>[0];

const state = createRequestStateCodec<{ round: number; name?: string }>({ key: randomBytes(32) });
/** Refuses a `requestState` that we did not mint; every server of this upstream must be built with it. */
export const verifyState: typeof state.verify = (sealed, ctx) => state.verify(sealed, ctx);

const form = (message: string, properties: Record<string, object>, required: readonly string[] = []) =>
  inputRequired.elicit({
    message,
    requestedSchema: { type: 'object', properties, required: [...required] },
  } as ElicitParams);
const askName = (message = 'What is your name?') => form(message, { name: { type: 'string' } }, ['name']);
const sample = (prompt: string, maxTokens = 100) =>
  inputRequired.createMessage({ messages: [{ role: 'user', content: { type: 'text', text: prompt } }], maxTokens });
const nameOf = (responses: Responses, key: string) =>
  acceptedContent(responses, key, z.object({ name: z.string() }))?.name;

/** A tool that asks everything at once, as often as it takes. */
interface Asking {
  readonly ask: (args: Record<string, string>) => InputRequests;
  /** The answer, once the responses are complete and make sense. */
  readonly answer: (responses: Responses) => string | undefined;
  readonly args?: readonly string[];
  /** Carries a `requestState` as well. */
  readonly stateful?: true;
}

const elicited = (responses: Responses) => {
  const response = inputResponse(responses, 'form');
  return response.kind === 'elicit' ? `${response.action}: ${JSON.stringify(response)}` : undefined;
};
const sampled = (responses: Responses, key = 'message') => {
  const response = inputResponse(responses, key);
  return response.kind === 'sampling' ? `The model said: ${JSON.stringify(response)}` : undefined;
};
const rooted = (responses: Responses) => {
  const response = inputResponse(responses, 'client_roots');
  return response.kind === 'roots' ? `Roots: ${JSON.stringify(response)}` : undefined;
};
const named = (responses: Responses) => {
  const name = nameOf(responses, 'user_name');
  return name === undefined ? undefined : `Hello, ${name}!`;
};

const options = [
  { const: 'value1', title: 'First' },
  { const: 'value2', title: 'Second' },
];

const confirming: Asking = {
  ask: () => ({ form: form('Please confirm', { ok: { type: 'boolean' } }, ['ok']) }),
  answer: elicited,
  stateful: true,
};

const asking: Readonly<Record<string, Asking>> = {
  test_sampling: { args: ['prompt'], ask: ({ prompt = '' }) => ({ message: sample(prompt) }), answer: sampled },
  test_elicitation: {
    args: ['message'],
    ask: ({ message = '' }) => ({
      form: form(message, { username: { type: 'string' }, email: { type: 'string', format: 'email' } }, ['username']),
    }),
    answer: elicited,
  },
  test_elicitation_sep1034_defaults: {
    ask: () => ({
      form: form('Please check these', {
        name: { type: 'string', default: 'John Doe' },
        age: { type: 'integer', default: 30 },
        score: { type: 'number', default: 95.5 },
        status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
        verified: { type: 'boolean', default: true },
      }),
    }),
    answer: elicited,
  },
  test_elicitation_sep1330_enums: {
    ask: () => ({
      form: form('Please choose', {
        untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
        titledSingle: { type: 'string', oneOf: options },
        legacyEnum: { type: 'string', enum: ['opt1', 'opt2'], enumNames: ['Option One', 'Option Two'] },
        untitledMulti: { type: 'array', items: { type: 'string', enum: ['option1', 'option2', 'option3'] } },
        titledMulti: { type: 'array', items: { anyOf: options } },
      }),
    }),
    answer: elicited,
  },
  test_input_required_result_elicitation: { ask: () => ({ user_name: askName() }), answer: named },
  test_input_required_result_sampling: {
    ask: () => ({ message: sample('What is the capital of France?') }),
    answer: sampled,
  },
  test_input_required_result_list_roots: {
    ask: () => ({ client_roots: inputRequired.listRoots() }),
    answer: rooted,
  },
  test_input_required_result_request_state: confirming,
  test_input_required_result_tampered_state: confirming,
  test_input_required_result_multiple_inputs: {
    ask: () => ({
      user_name: askName(),
      greeting: sample('Greet somebody', 50),
      client_roots: inputRequired.listRoots(),
    }),
    answer: (responses) => {
      const parts = [named(responses), sampled(responses, 'greeting'), rooted(responses)];
      return parts.includes(undefined) ? undefined : parts.join('\n');
    },
    stateful: true,
  },
};

/** Adds the asking tools to `server`. */
export function addInputTools(server: McpServer, serving: Serving): void {
  for (const [name, tool] of Object.entries(asking)) addAsking(server, name, tool);
  addMultiRound(server);
  addCapabilities(server, serving);
  addMissingCapability(server, serving);
}

function addAsking(server: McpServer, name: string, { ask, answer, args = [], stateful }: Asking): void {
  const inputSchema = z.object(Object.fromEntries(args.map((key) => [key, z.string()])));
  const config = { description: 'Asks the client for input', inputSchema };
  server.registerTool(name, config, async (given, { mcpReq }): Promise<Outcome> => {
    const complete = answer(mcpReq.inputResponses);
    // A stateful tool believes the answers only together with the state that it gave out.
    const believed = stateful !== true || mcpReq.requestState() !== undefined;
    if (complete !== undefined && believed) return said(complete);
    const inputRequests = ask(given);
    return inputRequired(
      stateful === true ? { inputRequests, requestState: await state.mint({ round: 1 }) } : { inputRequests },
    );
  });
}

function addMultiRound(server: McpServer): void {
  const config = { description: 'Asks in two rounds', inputSchema: z.object({}) };
  server.registerTool('test_input_required_result_multi_round', config, async (_, { mcpReq }): Promise<Outcome> => {
    const at = mcpReq.requestState<{ round: number; name?: string }>();
    const name = nameOf(mcpReq.inputResponses, 'step1') ?? at?.name;
    if (at === undefined || name === undefined) {
      return inputRequired({
        inputRequests: { step1: askName('Step 1: your name?') },
        requestState: await state.mint({ round: 1 }),
      });
    }
    const colour = acceptedContent(mcpReq.inputResponses, 'step2', z.object({ color: z.string() }))?.color;
    if (at.round === 2 && colour !== undefined) return said(`${name} likes ${colour}`);
    return inputRequired({
      inputRequests: { step2: form('Step 2: your colour?', { color: { type: 'string' } }, ['color']) },
      requestState: await state.mint({ round: 2, name }),
    });
  });
}

/** Asks only for kinds of input that this client has declared: in the request's envelope, or when its session began. */
function addCapabilities(server: McpServer, { era }: Serving): void {
  const config = { description: 'Asks for what the client can give', inputSchema: z.object({}) };
  server.registerTool('test_input_required_result_capabilities', config, (_, { mcpReq }): Outcome => {
    if (mcpReq.inputResponses !== undefined) return said('Got what the client could give.');
    const envelope: Readonly<Record<string, unknown>> = { ...mcpReq.envelope };
    const declared =
      era === 'modern'
        ? (envelope[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined)
        : server.server.getClientCapabilities();
    const inputRequests: InputRequests = {
      ...(declared?.elicitation && { user_name: askName() }),
      ...(declared?.sampling && { greeting: sample('Greet somebody', 50) }),
      ...(declared?.roots && { client_roots: inputRequired.listRoots() }),
    };
    if (Object.keys(inputRequests).length === 0) return said('This client declared nothing to ask for.');
    return inputRequired({ inputRequests });
  });
}

/** Asks for sampling whether it was declared or not; a legacy server can, and a gateway has to answer for the client. */
function addMissingCapability(server: McpServer, { era }: Serving): void {
  const config = { description: 'Needs sampling', inputSchema: z.object({}) };
  server.registerTool('test_missing_capability', config, async (_, { mcpReq }): Promise<Outcome> => {
    const request = sample('Say pong', 10);
    if (era === 'legacy') {
      const { method, params } = request;
      await mcpReq.send({ method, params: { ...params } });
      return said('sampled');
    }
    const complete = sampled(mcpReq.inputResponses);
    return complete === undefined ? inputRequired({ inputRequests: { message: request } }) : said(complete);
  });
}

/** Adds the prompt that asks before it is filled in. */
export function addInputPrompt(server: McpServer): void {
  const config = { description: 'Asks for its context', argsSchema: z.object({}).optional() };
  server.registerPrompt(
    'test_input_required_result_prompt',
    config,
    (_args, { mcpReq }): GetPromptResult | InputRequiredResult => {
      const context = acceptedContent(mcpReq.inputResponses, 'context', z.object({ context: z.string() }))?.context;
      if (context === undefined) {
        const ask = form('Which context?', { context: { type: 'string' } }, ['context']);
        return inputRequired({ inputRequests: { context: ask } });
      }
      return { messages: [{ role: 'user', content: { type: 'text', text: `In the context of ${context}:` } }] };
    },
  );
}
