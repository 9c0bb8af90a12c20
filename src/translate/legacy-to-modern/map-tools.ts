/** Tools and their results for a legacy client: what its era knows in another form. Pure, by splices. */
import {
  arrayElements,
  editObject,
  kindOf,
  memberAt,
  objectMembers,
  rawText,
  removeElements,
  replaceValue,
  stringValue,
  type Member,
  type Span,
  type Splice,
} from '../../wire/json.js';
import { lastMembers, subschemas } from '../../wire/json-schema.js';
import { toolArrays, type ListedTool, type ToolList } from '../tool-list.js';

/**
 * The splices that make a modern result of `tools/list` one for a legacy client: tools with invalid annotations go
 * (2026-07-28, server/tools "x-mcp-header"); an `outputSchema` that describes no object is wrapped as the results are.
 */
export function toolListEdits(bytes: Buffer, result: Span, { tools }: ToolList): Splice[] {
  const hidden = new Set(tools.filter(({ invalid }) => invalid !== undefined).map(({ span }) => span.start));
  return [
    ...toolArrays(bytes, result).flatMap((array) => removeElements(bytes, array, ({ start }) => hidden.has(start))),
    ...tools.filter(({ span }) => !hidden.has(span.start)).flatMap((tool) => toolEdits(bytes, tool)),
  ];
}

function toolEdits(bytes: Buffer, { inputSchema, outputSchema, wrapsOutput }: ListedTool): Splice[] {
  const output = outputSchema === undefined ? [] : (wrapsOutput ? wrapSchema : booleanProperties)(bytes, outputSchema);
  return inputSchema === undefined ? output : [...booleanProperties(bytes, inputSchema), ...output];
}

/** `true` and `false` as the objects that mean the same: in legacy revisions the schema of a property is an object. */
const booleanSchemas: ReadonlyMap<string, string> = new Map([
  ['true', '{}'],
  ['false', '{"not":{}}'],
]);

function booleanProperties(bytes: Buffer, schema: Span): Splice[] {
  const properties = memberAt(bytes, schema, ['properties'])?.value;
  if (properties === undefined || kindOf(bytes, properties) !== 'object') return [];
  return objectMembers(bytes, properties).flatMap((member) => {
    const object = booleanSchemas.get(kindOf(bytes, member.value));
    return object === undefined ? [] : [replaceValue(member, object)];
  });
}

/** Where the value of a wrapped `structuredContent` stands. */
const wrapped = 'result';

/** An object with the schema as its one property. `$schema` belongs to the root, and references start there. */
function wrapSchema(bytes: Buffer, schema: Span): Splice[] {
  const close = `},"required":["${wrapped}"]}`;
  const open = (dialect: string): string => `{${dialect}"type":"object","properties":{"${wrapped}":`;
  if (kindOf(bytes, schema) !== 'object') {
    const object = booleanSchemas.get(kindOf(bytes, schema)) ?? '{}';
    return [{ ...schema, bytes: Buffer.from(open('') + object + close) }];
  }
  const members = lastMembers(bytes, schema);
  const dialect = members.get('$schema')?.value;
  const hoisted = dialect === undefined ? '' : `"$schema":${rawText(bytes, dialect)},`;
  return [
    insertion(schema.start, open(hoisted)),
    // With an $id it is a root of its own, wherever it stands (2020-12 core §8.2.1).
    ...(members.has('$id') ? [] : editObject(bytes, schema, { remove: ['$schema'] })),
    ...movedReferences(bytes, schema),
    insertion(schema.end, close),
  ];
}

/** References by JSON pointer, from where the root of the schema has gone. */
function movedReferences(bytes: Buffer, schema: Span): Splice[] {
  return subschemas(bytes, schema)
    .filter(({ identified }) => !identified)
    .flatMap(({ members }) => ['$ref', '$dynamicRef'].flatMap((key) => members.get(key) ?? []))
    .flatMap((member) => {
      const target = kindOf(bytes, member.value) === 'string' ? stringValue(bytes, member.value) : '';
      if (target !== '#' && !target.startsWith('#/')) return [];
      return [replaceValue(member, JSON.stringify(`#/properties/${wrapped}${target.slice(1)}`))];
    });
}

/** How a result of `tools/call` has to look. */
export interface ToolResultForm {
  /** Wraps any `structuredContent`: the client was told so in the list. */
  readonly wrapsOutput: boolean;
  /** Whether the client's revision knows `structuredContent`. */
  readonly structured: boolean;
}

/**
 * The splices that make `structuredContent` an object and, where it is wrapped or the client does not know it, see to it
 * that a text says the same (2025-06-18, server/tools "Structured Content"). They go before other insertions.
 */
export function toolResultEdits(bytes: Buffer, result: Span, form: ToolResultForm): Splice[] {
  const members = objectMembers(bytes, result);
  const structured = members.filter(({ key }) => key === 'structuredContent');
  const wraps = ({ value }: Member): boolean => form.wrapsOutput || kindOf(bytes, value) !== 'object';
  const edits = structured
    .filter(wraps)
    .flatMap(({ value }) => [insertion(value.start, `{"${wrapped}":`), insertion(value.end, '}')]);
  const last = structured.at(-1);
  if (last === undefined || (edits.length === 0 && form.structured)) return edits;
  return [...edits, ...textRendering(bytes, result, rawText(bytes, last.value))];
}

/** Adds `text` as a block where `content` has no text of its own. */
function textRendering(bytes: Buffer, result: Span, text: string): Splice[] {
  const block = `{"type":"text","text":${JSON.stringify(text)}}`;
  const content = memberAt(bytes, result, ['content'])?.value;
  if (content === undefined || kindOf(bytes, content) !== 'array')
    return editObject(bytes, result, { set: [['content', `[${block}]`]] });
  const blocks = arrayElements(bytes, content);
  if (blocks.some((span) => isText(bytes, span))) return [];
  const last = blocks.at(-1);
  return [last === undefined ? insertion(content.start + 1, block) : insertion(last.end, `,${block}`)];
}

function isText(bytes: Buffer, block: Span): boolean {
  const type = memberAt(bytes, block, ['type'])?.value;
  return type !== undefined && kindOf(bytes, type) === 'string' && stringValue(bytes, type) === 'text';
}

function insertion(at: number, text: string): Splice {
  return { start: at, end: at, bytes: Buffer.from(text) };
}
