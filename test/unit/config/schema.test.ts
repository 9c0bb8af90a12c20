/** The published schema, the defaults and the example say the same. */
import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import t from 'tap';
import { parse } from 'yaml';
import { defaults, upstreamDefaults } from '../../../src/config/defaults.js';
import { formats } from '../../../src/config/formats.js';
import { parseDuration, parseSize } from '../../../src/config/units.js';

interface Schema {
  readonly $ref?: string;
  readonly $defs?: Record<string, Schema>;
  readonly properties?: Record<string, Schema>;
  readonly additionalProperties?: Schema | false;
  readonly else?: Schema;
  readonly items?: Schema;
  readonly default?: unknown;
  readonly description?: string;
  readonly pattern?: string;
}

const schema = JSON.parse(readFileSync('config/mcp-resilience.schema.json', 'utf8')) as Schema;
const { upstreams, admin, listen, allow, limits, log, shutdown } = schema.properties ?? {};
const upstream = schema.$defs?.['upstream']?.properties ?? {};

void t.test('it is a schema of draft 2020-12, also without our formats', async (t) => {
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, validateFormats: false, keywords: ['x-expected'] });
  t.ok(ajv.validateSchema(schema), ajv.errorsText());
  const validate = ajv.compile(schema);
  t.ok(validate(parse(readFileSync('config/example.yaml', 'utf8'))), ajv.errorsText(validate.errors));
  t.notOk(validate({}));
  t.notOk(validate({ upstreams: { a: { url: 'ftp://h' } } }));
  t.notOk(validate({ upstreams: { a: { url: 'http://h', verdictTtl: '5' } } }));
});

void t.test('its defaults are the defaults', async (t) => {
  const durations = (from: Schema | undefined, key: string): number | undefined =>
    parseDuration(String(from?.properties?.[key]?.default));
  t.strictSame(listen?.default, defaults.listen);
  t.strictSame(admin?.default, defaults.admin);
  t.strictSame(allow?.properties?.['hosts']?.default, defaults.allow.hosts);
  t.strictSame(allow?.properties?.['origins']?.default, defaults.allow.origins);
  t.equal(log?.properties?.['level']?.default, defaults.log.level);
  t.equal(durations(shutdown, 'grace'), defaults.shutdownGrace);
  const { forwardedBody, ...limitsWithKeys } = defaults.limits;
  t.equal(forwardedBody, Infinity, 'has no key of its own: it is limits.body where that is set');
  for (const [key, value] of Object.entries(limitsWithKeys)) {
    const written = limits?.properties?.[key]?.default;
    const read = typeof written === 'number' ? written : (parseDuration(String(written)) ?? parseSize(String(written)));
    t.equal(read, value, `limits.${key}`);
  }
  t.equal(upstream['era']?.default, upstreamDefaults.era);
  t.equal(upstream['optional']?.default, upstreamDefaults.optional);
  t.equal(parseDuration(String(upstream['verdictTtl']?.default)), upstreamDefaults.verdictTtl);
  for (const [key, value] of Object.entries(upstreamDefaults.timeouts)) {
    t.equal(durations(upstream['timeouts'], key), value, `timeouts.${key}`);
  }
});

/** The paths of all keys that a schema knows; `*` for a name of one's own. */
function keysOf(part: Schema | undefined, path: string): string[] {
  const referred = part?.$ref === undefined ? undefined : schema.$defs?.[part.$ref.replace('#/$defs/', '')];
  const own = Object.entries(part?.properties ?? {}).flatMap(([key, child]) => {
    const at = path === '' ? key : `${path}.${key}`;
    return [at, ...keysOf(child, at)];
  });
  const any = part?.additionalProperties ? keysOf(part.additionalProperties, `${path}.*`) : [];
  return [...own, ...any, ...(part?.else ? keysOf(part.else, path) : []), ...(referred ? keysOf(referred, path) : [])];
}

void t.test('the example holds every key', async (t) => {
  const example: unknown = parse(readFileSync('config/example.yaml', 'utf8'));
  const keys = keysOf(schema, '');
  t.ok(keys.includes('upstreams.*.timeouts.firstByte') && keys.includes('admin.port'), 'the walk sees all');
  for (const key of keys) {
    const found = key.split('.').reduce<unknown>((value, step) => {
      if (typeof value !== 'object' || value === null) return undefined;
      return step === '*' ? Object.values(value)[0] : (value as Record<string, unknown>)[step];
    }, example);
    t.not(found, undefined, key);
  }
});

void t.test('every format of the schema is one of ours, and the other way round', async (t) => {
  const named = [...JSON.stringify(schema).matchAll(/"format":"([^"]+)"/g)].map(([, name]) => name);
  t.strictSame([...new Set(named)].sort(), [...formats.keys()].sort());
});

void t.test('every key of an upstream and every limit is described', async (t) => {
  t.ok(upstreams?.description);
  for (const [key, { description, properties }] of Object.entries({ ...upstream, ...limits?.properties })) {
    t.ok(description ?? properties, key);
  }
});
