/** Every default of the configuration; the published schema names the same values (a test compares the two). */
import type { Config, UpstreamConfig } from './types.js';

const second = 1_000;
const minute = 60 * second;

/** The configuration of a file that says nothing but where its upstreams are. */
export const defaults = {
  listen: { host: '127.0.0.1', port: 8080 },
  publicUrl: undefined,
  admin: { host: '127.0.0.1', port: 9464 },
  allow: { hosts: [], origins: [] },
  limits: {
    body: 4 * 2 ** 20,
    forwardedBody: Infinity,
    bodyTimeout: 30 * second,
    headerTimeout: 10 * second,
    sessions: 10_000,
    sessionIdle: 30 * minute,
    sessionAge: 24 * 60 * minute,
    detachedCall: 5 * minute,
    input: 10 * minute,
    clientSeries: 50,
  },
  // A person at a terminal reads sentences; whatever collects the output of a service reads JSON.
  log: { level: 'info', format: process.stdout.isTTY ? 'pretty' : 'json' },
  shutdownGrace: 10 * second,
} as const satisfies Omit<Config, 'upstreams'>;

/** What an upstream has that says nothing but its URL. */
export const upstreamDefaults = {
  era: 'auto',
  optional: false,
  timeouts: { connect: 2 * second, firstByte: 60 * second, idle: 5 * minute },
  verdictTtl: 5 * minute,
} as const satisfies Partial<UpstreamConfig>;
