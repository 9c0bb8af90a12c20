/** Reading what a modern server says of its tools, as far as the gateway has to know it. Pure. */
import { arrayElements, kindOf, memberAt, objectMembers, rawText, stringValue, type Span } from '../wire/json.js';
import { lastMembers } from '../wire/json-schema.js';
import { mirroredParams, type MirroredParam } from './param-headers.js';

/** What has to be known of a tool when it is called. */
export interface KnownTool {
  readonly params: readonly MirroredParam[];
  /** Whether its `outputSchema` describes something else than an object, which no legacy revision allows. */
  readonly wrapsOutput: boolean;
}

/** One tool of a list. */
export interface ListedTool extends KnownTool {
  readonly span: Span;
  readonly name: string;
  readonly inputSchema: Span | undefined;
  readonly outputSchema: Span | undefined;
  /** Why a client has to leave this tool out (2026-07-28, server/tools "x-mcp-header"). */
  readonly invalid: string | undefined;
}

/** One page of `tools/list`. */
export interface ToolList {
  readonly tools: readonly ListedTool[];
  /** Whether the same list holds for everybody (2026-07-28, server/utilities/caching). */
  readonly shared: boolean;
  /** Raw JSON. */
  readonly nextCursor: string | undefined;
}

/** Reads the result of `tools/list`; what is no tool in it is passed over. */
export function readToolList(bytes: Buffer, result: Span): ToolList {
  const arrays = toolArrays(bytes, result);
  const scope = memberAt(bytes, result, ['cacheScope'])?.value;
  const cursor = memberAt(bytes, result, ['nextCursor'])?.value;
  return {
    tools: arrays.flatMap((array) => arrayElements(bytes, array)).flatMap((span) => readTool(bytes, span) ?? []),
    shared: scope !== undefined && kindOf(bytes, scope) === 'string' && stringValue(bytes, scope) === 'public',
    nextCursor: cursor && kindOf(bytes, cursor) === 'string' ? rawText(bytes, cursor) : undefined,
  };
}

/** The arrays called `tools`: a reader may take the first or the last. */
export function toolArrays(bytes: Buffer, result: Span): Span[] {
  return objectMembers(bytes, result)
    .filter(({ key, value }) => key === 'tools' && kindOf(bytes, value) === 'array')
    .map(({ value }) => value);
}

function readTool(bytes: Buffer, span: Span): ListedTool | undefined {
  if (kindOf(bytes, span) !== 'object') return undefined;
  const members = lastMembers(bytes, span);
  const name = members.get('name')?.value;
  if (name === undefined || kindOf(bytes, name) !== 'string') return undefined;
  const inputSchema = members.get('inputSchema')?.value;
  const outputSchema = members.get('outputSchema')?.value;
  const params = inputSchema === undefined ? [] : mirroredParams(bytes, inputSchema);
  return {
    span,
    name: stringValue(bytes, name),
    inputSchema,
    outputSchema,
    params: typeof params === 'string' ? [] : params,
    invalid: typeof params === 'string' ? params : undefined,
    wrapsOutput: outputSchema !== undefined && !describesObject(bytes, outputSchema),
  };
}

/** Every legacy revision that has `outputSchema` wants `type: "object"` at its root. */
function describesObject(bytes: Buffer, schema: Span): boolean {
  if (kindOf(bytes, schema) !== 'object') return false;
  const type = lastMembers(bytes, schema).get('type')?.value;
  return type !== undefined && kindOf(bytes, type) === 'string' && stringValue(bytes, type) === 'object';
}
