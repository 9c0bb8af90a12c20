/** What a configuration file holds once it fits the schema: everything optional, durations and sizes as written. */
import type { Config, EraSetting } from './types.js';

export interface RawAddress {
  host?: string;
  port?: number;
}

export interface RawUpstream {
  url: string;
  path?: string;
  era?: EraSetting;
  optional?: boolean;
  headers?: Record<string, string>;
  timeouts?: { connect?: string; firstByte?: string; idle?: string };
  verdictTtl?: string;
}

export interface RawConfig {
  listen?: RawAddress;
  publicUrl?: string;
  admin?: RawAddress | false;
  upstreams: Record<string, RawUpstream>;
  allow?: { hosts?: string[]; origins?: string[] };
  limits?: {
    body?: string | number;
    bodyTimeout?: string;
    headerTimeout?: string;
    sessions?: number;
    sessionIdle?: string;
    sessionAge?: string;
    detachedCall?: string;
    input?: string;
    clientSeries?: number;
  };
  log?: Partial<Config['log']>;
  shutdown?: { grace?: string };
}
