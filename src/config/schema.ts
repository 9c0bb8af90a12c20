/**
 * The published JSON Schema is the validator. Its own keyword `x-expected` says in words what is allowed, so that
 * editors, documents and our messages read the same text.
 */
import { readFileSync } from 'node:fs';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { formats } from './formats.js';
import type { RawAddress, RawConfig, RawUpstream } from './raw.js';

const schema = JSON.parse(
  readFileSync(new URL('../../config/mcp-resilience.schema.json', import.meta.url), 'utf8'),
) as object & { $id: string };

const ajv = new Ajv2020({ allErrors: true, verbose: true, allowUnionTypes: true, keywords: ['x-expected'] });
for (const [name, complaint] of formats) ajv.addFormat(name, (text) => complaint(text) === undefined);
ajv.addSchema(schema);

/** One way in which a value does not fit; `verbose`, so with the schema and the data. */
export type Misfit = ErrorObject<string, Record<string, unknown>, Record<string, unknown>>;

/** The parts of a configuration that can be validated, and what they are once they fit. */
interface Parts {
  '': RawConfig;
  '#/$defs/address': RawAddress;
  '#/$defs/upstream': RawUpstream;
  '#/properties/upstreams': Record<string, RawUpstream>;
  '#/properties/log': NonNullable<RawConfig['log']>;
}

/** Everything in which `data` does not fit the part of the schema; empty where it fits. */
export function misfits(data: unknown, part: keyof Parts = ''): readonly Misfit[] {
  const validate = ajv.getSchema(schema.$id + part) as ValidateFunction;
  return validate(data) ? [] : ((validate.errors ?? []) as Misfit[]);
}

/** Whether `data` fits the part of the schema. */
export function fits<P extends keyof Parts>(data: unknown, part: P): data is Parts[P] {
  return misfits(data, part).length === 0;
}
