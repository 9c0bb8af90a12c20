/** Configuration from the command line, alone or over that of a file. */
import { buildConfig, buildUpstream, placeUpstreams } from './build.js';
import { samePathMessage } from './clashes.js';
import { defaults } from './defaults.js';
import { explain } from './explain.js';
import { ConfigError, type Problem } from './problem.js';
import type { RawAddress, RawConfig } from './raw.js';
import { fits, misfits } from './schema.js';
import type { Config, UpstreamConfig } from './types.js';

/** The flags as they were typed. */
export interface Flags {
  /** `HOST:PORT`. */
  readonly listen?: string | undefined;
  /** `[NAME=]URL`; one without a name is `default`. */
  readonly upstreams: readonly string[];
  /** `HOST:PORT` or `off`. */
  readonly admin?: string | undefined;
  readonly logLevel?: string | undefined;
  readonly logFormat?: string | undefined;
}

/**
 * `base` (without it: the defaults) with the flags over it. An upstream that the base has keeps its settings and
 * gets the URL of the flag. Throws a ConfigError whose problems name flags as keys.
 */
export function configFromFlags(flags: Flags, base?: Config): Config {
  const problems: Problem[] = [];
  const blame = (flag: string, message: string): void => {
    problems.push({ file: 'command line', key: flag, message });
  };
  const from = base ?? emptyConfig;
  const config: Config = {
    ...from,
    listen: { ...from.listen, ...addressOf('--listen', flags.listen, blame) },
    admin: adminOf(flags.admin, from.admin, blame),
    upstreams: upstreamsOf(flags.upstreams, from.upstreams, blame),
    log: { ...from.log, ...logOf(flags, blame) },
  };
  if (problems.length > 0) throw new ConfigError(problems);
  return config;
}

const emptyConfig = buildConfig({ upstreams: {} });

type Blame = (flag: string, message: string) => void;

/** Reads `HOST:PORT` or `[IPv6]:PORT`; undefined where there is no flag, or a wrong one, which is reported. */
function addressOf(flag: string, text: string | undefined, blame: Blame): Required<RawAddress> | undefined {
  if (text === undefined) return undefined;
  const [, bracketed, plain, port] = /^(?:\[([^\]]*)\]|([^:[\]]+)):(\d+)$/.exec(text) ?? [];
  const address = { host: bracketed ?? plain, port: Number(port) };
  if (address.host === undefined || port === undefined) {
    blame(flag, `expected HOST:PORT such as 127.0.0.1:8080 or [::1]:8080, found ${JSON.stringify(text)}`);
    return undefined;
  }
  if (fits(address, '#/$defs/address')) return address as Required<RawAddress>;
  for (const { message } of explain(misfits(address, '#/$defs/address'), () => undefined)) blame(flag, message);
  return undefined;
}

function adminOf(text: string | undefined, base: Config['admin'], blame: Blame): Config['admin'] {
  if (text === undefined) return base;
  return text === 'off' ? undefined : (addressOf('--admin', text, blame) ?? defaults.admin);
}

function logOf({ logLevel, logFormat }: Flags, blame: Blame): NonNullable<RawConfig['log']> {
  const raw = {
    ...(logLevel === undefined ? {} : { level: logLevel }),
    ...(logFormat === undefined ? {} : { format: logFormat }),
  };
  if (fits(raw, '#/properties/log')) return raw;
  for (const { path, message } of explain(misfits(raw, '#/properties/log'), () => undefined)) {
    blame(`--log-${path[0]}`, message);
  }
  return {};
}

function upstreamsOf(texts: readonly string[], base: Config['upstreams'], blame: Blame): Config['upstreams'] {
  const upstreams = new Map(base);
  const given = new Set<string>();
  for (const text of texts) {
    const [, name = 'default', url = ''] = /^(?:([^=:/?#]*)=)?(.*)$/s.exec(text) ?? [];
    if (given.has(name)) {
      blame('--upstream', `the name ${JSON.stringify(name)} is given twice; name each: --upstream NAME=URL`);
      continue;
    }
    given.add(name);
    const raw = { [name]: { url } };
    if (fits(raw, '#/properties/upstreams')) upstreams.set(name, withUrl(name, url, upstreams.get(name)));
    for (const { message } of explain(misfits(raw, '#/properties/upstreams'), () => undefined)) {
      blame('--upstream', message);
    }
  }
  blameSamePaths([...upstreams.values()], blame);
  return placeUpstreams([...upstreams.values()]);
}

function withUrl(name: string, url: string, known: UpstreamConfig | undefined): UpstreamConfig {
  return known === undefined ? buildUpstream(name, { url }) : { ...known, url: new URL(url) };
}

function blameSamePaths(upstreams: readonly UpstreamConfig[], blame: Blame): void {
  const taken = new Map<string | undefined, string>();
  for (const { name, paths } of upstreams) {
    const other = taken.get(paths[0]);
    if (other !== undefined) blame('--upstream', `${name}: ${samePathMessage(String(paths[0]), other)}`);
    taken.set(paths[0], name);
  }
}
