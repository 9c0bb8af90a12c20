/** The configuration for people to read: complete, in the shape of the file, without its secrets. */
import { stringify } from 'yaml';
import { hidden, withoutSecrets } from './shown.js';
import type { Config, UpstreamConfig } from './types.js';
import { formatDuration, formatSize } from './units.js';

/** YAML with every default filled in. Header values are `***`, and so are the queries of URLs. */
export function describeConfig(config: Config): string {
  const { limits } = config;
  const shape = {
    listen: config.listen,
    ...(config.publicUrl === undefined ? {} : { publicUrl: config.publicUrl.href }),
    admin: config.admin ?? false,
    upstreams: Object.fromEntries([...config.upstreams].map(([name, upstream]) => [name, describeUpstream(upstream)])),
    allow: config.allow,
    limits: {
      body: formatSize(limits.body),
      bodyTimeout: formatDuration(limits.bodyTimeout),
      headerTimeout: formatDuration(limits.headerTimeout),
      sessions: limits.sessions,
      sessionIdle: formatDuration(limits.sessionIdle),
      sessionAge: formatDuration(limits.sessionAge),
      detachedCall: formatDuration(limits.detachedCall),
      input: formatDuration(limits.input),
      clientSeries: limits.clientSeries,
    },
    log: config.log,
    shutdown: { grace: formatDuration(config.shutdownGrace) },
  };
  return stringify(shape, { lineWidth: 0, aliasDuplicateObjects: false });
}

function describeUpstream({ url, paths, era, optional, headers, timeouts, verdictTtl }: UpstreamConfig): object {
  return {
    url: withoutSecrets(url.href),
    path: paths[0],
    era,
    optional,
    headers: Object.fromEntries([...headers.keys()].map((name) => [name, hidden])),
    timeouts: {
      connect: formatDuration(timeouts.connect),
      firstByte: formatDuration(timeouts.firstByte),
      idle: formatDuration(timeouts.idle),
    },
    verdictTtl: formatDuration(verdictTtl),
  };
}
