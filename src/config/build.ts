/** From a configuration that fits the schema to the one that the gateway runs with: defaults filled in, units read. */
import { pathOfUpstream } from './clashes.js';
import { defaults, upstreamDefaults } from './defaults.js';
import type { RawConfig, RawUpstream } from './raw.js';
import type { Config, Limits, UpstreamConfig } from './types.js';
import { parseDuration, parseSize } from './units.js';

/** The whole configuration. */
export function buildConfig(raw: RawConfig): Config {
  return {
    listen: { ...defaults.listen, ...raw.listen },
    publicUrl: raw.publicUrl === undefined ? undefined : new URL(raw.publicUrl),
    admin: raw.admin === false ? undefined : { ...defaults.admin, ...raw.admin },
    upstreams: placeUpstreams(Object.entries(raw.upstreams).map(([name, upstream]) => buildUpstream(name, upstream))),
    allow: {
      hosts: (raw.allow?.hosts ?? defaults.allow.hosts).map((host) => host.toLowerCase()),
      origins: raw.allow?.origins ?? defaults.allow.origins,
    },
    limits: buildLimits(raw.limits ?? {}),
    log: { ...defaults.log, ...raw.log },
    shutdownGrace: duration(raw.shutdown?.grace) ?? defaults.shutdownGrace,
  };
}

/** One upstream, at its own path alone. */
export function buildUpstream(name: string, raw: RawUpstream): UpstreamConfig {
  const { timeouts } = upstreamDefaults;
  return {
    name,
    url: new URL(raw.url),
    paths: [pathOfUpstream(name, raw.path)],
    era: raw.era ?? upstreamDefaults.era,
    optional: raw.optional ?? upstreamDefaults.optional,
    headers: new Map(Object.entries(raw.headers ?? {})),
    timeouts: {
      connect: duration(raw.timeouts?.connect) ?? timeouts.connect,
      firstByte: duration(raw.timeouts?.firstByte) ?? timeouts.firstByte,
      idle: duration(raw.timeouts?.idle) ?? timeouts.idle,
    },
    verdictTtl: duration(raw.verdictTtl) ?? upstreamDefaults.verdictTtl,
  };
}

/** The upstreams by name, each at its own path, which stands first; a single one at `/mcp` too. */
export function placeUpstreams(upstreams: readonly UpstreamConfig[]): ReadonlyMap<string, UpstreamConfig> {
  const shared = upstreams.length === 1 ? ['/mcp'] : [];
  return new Map(
    upstreams.map((upstream) => {
      const paths = [...new Set([...upstream.paths.slice(0, 1), ...shared])];
      return [upstream.name, { ...upstream, paths }];
    }),
  );
}

function buildLimits(raw: NonNullable<RawConfig['limits']>): Limits {
  const { limits } = defaults;
  return {
    body: raw.body === undefined ? limits.body : checked(parseSize(raw.body)),
    forwardedBody: raw.body === undefined ? limits.forwardedBody : checked(parseSize(raw.body)),
    bodyTimeout: duration(raw.bodyTimeout) ?? limits.bodyTimeout,
    headerTimeout: duration(raw.headerTimeout) ?? limits.headerTimeout,
    sessions: raw.sessions ?? limits.sessions,
    sessionIdle: duration(raw.sessionIdle) ?? limits.sessionIdle,
    sessionAge: duration(raw.sessionAge) ?? limits.sessionAge,
    detachedCall: duration(raw.detachedCall) ?? limits.detachedCall,
    input: duration(raw.input) ?? limits.input,
    clientSeries: raw.clientSeries ?? limits.clientSeries,
  };
}

function duration(text: string | undefined): number | undefined {
  return text === undefined ? undefined : checked(parseDuration(text));
}

/** The schema lets no unit through that cannot be read. */
function checked(value: number | undefined): number {
  if (value === undefined) throw new TypeError('a duration or size does not fit the schema');
  return value;
}
