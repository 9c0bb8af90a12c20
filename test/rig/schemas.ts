/** The JSON Schemas of the protocol revisions, as checks. */
import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

/** Types that were called otherwise before 2025-11-25. */
const formerly: ReadonlyMap<string, string> = new Map([['JSONRPCErrorResponse', 'JSONRPCError']]);

interface Schemas {
  readonly ajv: Ajv2020;
  /** Where the types stand: `$defs`, in older revisions `definitions`. */
  readonly types: '$defs' | 'definitions';
}

const loaded = new Map<string, Schemas>();

/** What makes `value` no `type` of `revision`; undefined if it is one. */
export function schemaFault(revision: string, type: string, value: unknown): string | undefined {
  const { ajv, types } = loaded.get(revision) ?? load(revision);
  const find = (name: string) => ajv.getSchema(`mcp#/${types}/${name}`);
  const validate = find(type) ?? find(formerly.get(type) ?? type);
  if (validate?.(value) === true) return undefined;
  const why = validate?.errors?.map(({ instancePath, message = '' }) => `${instancePath} ${message}`).join('; ');
  return `not a ${type} of ${revision}: ${why ?? 'there is no such type'}`;
}

function load(revision: string): Schemas {
  const file = new URL(`schemas/${revision}.json`, import.meta.url);
  // The older ones name draft-07, of which they use nothing that 2020-12 reads otherwise.
  const { $schema: _, ...schema } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
  const ajv = new Ajv2020({ strict: false });
  formats.default(ajv, ['uri', 'uri-template', 'byte', 'date-time', 'email']);
  ajv.addSchema(schema, 'mcp');
  const schemas: Schemas = { ajv, types: '$defs' in schema ? '$defs' : 'definitions' };
  loaded.set(revision, schemas);
  return schemas;
}
