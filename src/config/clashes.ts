/** What each value alone does not show: two that cannot stand together. */
import type { RawAddress } from './raw.js';
import type { Explanation } from './explain.js';
import { defaults } from './defaults.js';

/**
 * Clashes in a configuration as it was read, which may still hold anything: two upstreams at one path, a header
 * configured twice, the admin port on the clients' port.
 */
export function clashes(raw: unknown): Explanation[] {
  if (!isMapping(raw)) return [];
  const upstreams = Object.entries(isMapping(raw['upstreams']) ? raw['upstreams'] : {});
  return [...samePaths(upstreams), ...sameHeaders(upstreams), ...samePort(raw)];
}

/** The path at which an upstream is served; `/x/` and `/x` are one. */
export function pathOfUpstream(name: string, path: string | undefined): string {
  if (path === undefined) return `/${name}/mcp`;
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}

/** A message for the second of two upstreams that are to be served at one path. */
export function samePathMessage(path: string, other: string): string {
  return `the upstream ${JSON.stringify(other)} is served at ${path} already; each upstream needs a path of its own`;
}

function samePaths(upstreams: readonly [string, unknown][]): Explanation[] {
  const taken = new Map<string, string>();
  const found: Explanation[] = [];
  for (const [name, upstream] of upstreams) {
    const written = isMapping(upstream) ? upstream['path'] : undefined;
    if (written !== undefined && typeof written !== 'string') continue;
    const path = pathOfUpstream(name, written);
    const other = taken.get(path);
    if (other === undefined) taken.set(path, name);
    else {
      const at = written === undefined ? [name] : [name, 'path'];
      found.push({ path: ['upstreams', ...at], spot: 'value', message: samePathMessage(path, other) });
    }
  }
  return found;
}

function sameHeaders(upstreams: readonly [string, unknown][]): Explanation[] {
  return upstreams.flatMap(([upstream, raw]) => {
    const headers = isMapping(raw) && isMapping(raw['headers']) ? Object.keys(raw['headers']) : [];
    const first = new Map<string, string>();
    return headers.flatMap((name): Explanation[] => {
      const other = first.get(name.toLowerCase());
      first.set(name.toLowerCase(), name);
      if (other === undefined) return [];
      const message = `the header ${other} stands before already; upper and lower case do not tell headers apart`;
      return [{ path: ['upstreams', upstream, 'headers', name], spot: 'key', message }];
    });
  });
}

function samePort({ listen, admin }: Record<string, unknown>): Explanation[] {
  if (admin === false) return [];
  const clients = { ...defaults.listen, ...(isMapping(listen) ? (listen as RawAddress) : {}) };
  const own = { ...defaults.admin, ...(isMapping(admin) ? (admin as RawAddress) : {}) };
  if (clients.port === 0 || clients.port !== own.port || clients.host !== own.host) return [];
  const path = isMapping(admin) ? ['admin', 'port'] : ['listen', 'port'];
  return [{ path, spot: 'value', message: `listen and admin are both at ${own.host}, port ${own.port}` }];
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
