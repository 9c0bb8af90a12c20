/** Walking a JSON Schema as bytes (JSON Schema 2020-12 core §10, and what draft-07 and 2019-09 called otherwise). */
import { arrayElements, kindOf, objectMembers, type Member } from './json-members.js';
import type { Span } from './json-scan.js';

/** Keywords whose value is a schema, or an array of schemas. */
const schemaKeywords: ReadonlySet<string> = new Set([
  ...['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else'],
  ...['items', 'prefixItems', 'additionalItems', 'unevaluatedItems', 'contains'],
  ...['additionalProperties', 'unevaluatedProperties', 'propertyNames', 'contentSchema'],
]);

/** Keywords whose value holds schemas by name. */
const namedSchemas: ReadonlySet<string> = new Set([
  ...['properties', 'patternProperties', 'dependentSchemas', 'dependencies', '$defs', 'definitions'],
]);

/** One schema within a schema, the outermost included. */
export interface Subschema {
  /** Its members; of a key that stands twice the last, as most readers take it. */
  readonly members: ReadonlyMap<string, Member>;
  /** The keys that lead to it by `properties` alone; undefined where another keyword is on the way. */
  readonly path: readonly string[] | undefined;
  /** Whether it is, or stands within, a schema with an `$id`, against which its references are resolved. */
  readonly identified: boolean;
}

/**
 * All schemas within the one at `root`, outermost first. What stands where no schema does (`default`, `enum`, a keyword
 * nobody knows) is data. References are not followed.
 */
export function subschemas(bytes: Buffer, root: Span): Subschema[] {
  const found: Subschema[] = [];
  const visit = (span: Span, path: Subschema['path'], within: boolean): void => {
    if (kindOf(bytes, span) !== 'object') return;
    const members = lastMembers(bytes, span);
    const identified = within || members.has('$id');
    found.push({ members, path, identified });
    for (const { key, value } of members.values()) {
      const kind = kindOf(bytes, value);
      if (namedSchemas.has(key)) {
        if (kind !== 'object') continue;
        for (const inner of lastMembers(bytes, value).values())
          visit(inner.value, path && key === 'properties' ? [...path, inner.key] : undefined, identified);
      } else if (schemaKeywords.has(key)) {
        for (const inner of kind === 'array' ? arrayElements(bytes, value) : [value])
          visit(inner, undefined, identified);
      }
    }
  };
  visit(root, [], false);
  return found;
}

/** The members of an object by key; of a key that stands twice the last. */
export function lastMembers(bytes: Buffer, object: Span): ReadonlyMap<string, Member> {
  return new Map(objectMembers(bytes, object).map((member) => [member.key, member]));
}
