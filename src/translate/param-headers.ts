/**
 * Arguments that a tool wants mirrored into `Mcp-Param-*` headers (2026-07-28, streamable-http "Custom Headers from Tool
 * Parameters"). Pure.
 */
import { kindOf, rawText, stringValue, type Span } from '../wire/json.js';
import { lastMembers, subschemas, type Subschema } from '../wire/json-schema.js';
import type { Request } from '../wire/jsonrpc.js';
import { encodeHeaderValue } from '../wire/mcp-headers.js';

/** One argument that is mirrored. */
export interface MirroredParam {
  /** The keys that lead to it from `arguments` on. */
  readonly path: readonly string[];
  /** The name of its header. */
  readonly header: string;
}

const annotation = 'x-mcp-header';
/** RFC 9110 §5.6.2. */
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const primitives: ReadonlySet<string> = new Set(['string', 'integer', 'boolean']);

/** What `inputSchema` wants mirrored; a string says which rule of "Schema Extension" it breaks. */
export function mirroredParams(bytes: Buffer, inputSchema: Span): readonly MirroredParam[] | string {
  const params = new Map<string, MirroredParam>();
  for (const schema of subschemas(bytes, inputSchema)) {
    const name = schema.members.get(annotation)?.value;
    if (name === undefined) continue;
    const { path } = schema;
    if (path === undefined || path.length === 0) return `${annotation} stands outside of a chain of properties`;
    if (kindOf(bytes, name) !== 'string') return `${at(path)} is no string`;
    const text = stringValue(bytes, name);
    if (!token.test(text)) return `${at(path)} is no name of a header field`;
    if (!isPrimitive(bytes, schema)) return `${at(path)} is not on a string, an integer or a boolean`;
    const header = `mcp-param-${text.toLowerCase()}`;
    if (params.has(header)) return `${at(path)} names the same header as another`;
    params.set(header, { path, header: `Mcp-Param-${text}` });
  }
  return [...params.values()];
}

function at(path: readonly string[]): string {
  return `${annotation} of ${JSON.stringify(path.join('.').slice(0, 100))}`;
}

function isPrimitive(bytes: Buffer, { members }: Subschema): boolean {
  const type = members.get('type')?.value;
  return type !== undefined && kindOf(bytes, type) === 'string' && primitives.has(stringValue(bytes, type));
}

/** The headers that mirror `params` out of the arguments of `request`; what is absent or null has none. */
export function paramHeaders({ bytes, params }: Request, mirrored: readonly MirroredParam[]): Record<string, string> {
  const headers: Record<string, string> = {};
  if (params === undefined) return headers;
  for (const { path, header } of mirrored) {
    const text = textAt(bytes, params, ['arguments', ...path]);
    if (text !== undefined) headers[header] = encodeHeaderValue(text);
  }
  return headers;
}

/** The value at the end of `path` as the text of a header; undefined where there is none to mirror. */
function textAt(bytes: Buffer, from: Span, path: readonly string[]): string | undefined {
  let value: Span | undefined = from;
  for (const key of path) {
    if (kindOf(bytes, value) !== 'object') return undefined;
    value = lastMembers(bytes, value).get(key)?.value;
    if (value === undefined) return undefined;
  }
  switch (kindOf(bytes, value)) {
    case 'string':
      return stringValue(bytes, value);
    case 'true':
      return 'true';
    case 'false':
      return 'false';
    case 'number':
      return decimal(rawText(bytes, value));
    default:
      return undefined;
  }
}

/** `42` for `42.0` and `4.2e1`; an integer that a double would round, and what is none, as it stands. */
function decimal(raw: string): string {
  const number = Number(raw);
  return Number.isSafeInteger(number) ? String(number) : raw;
}
