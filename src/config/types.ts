/** The configuration after loading: every default filled in, durations in milliseconds, sizes in bytes. */

/** What an upstream is said to speak; `auto` lets a probe decide. */
export type EraSetting = 'auto' | 'modern' | 'legacy' | 'both';

/** One upstream. */
export interface UpstreamConfig {
  readonly name: string;
  readonly url: URL;
  /** The paths it is served at, normally `/<name>/mcp`; `/mcp` too when it is the only one. */
  readonly paths: readonly string[];
  readonly era: EraSetting;
  /** Readiness does not wait for an optional upstream. */
  readonly optional: boolean;
  /** Sent to this upstream, over whatever the client sent. The values may be secrets. */
  readonly headers: ReadonlyMap<string, string>;
  readonly timeouts: {
    readonly connect: number;
    /** From the request to the head of the answer. */
    readonly firstByte: number;
    /** Between two chunks of an answer. */
    readonly idle: number;
  };
  /** How long a probed verdict is believed. */
  readonly verdictTtl: number;
}

/** Bounds on what clients may use. */
export interface Limits {
  /** Of a body that is read whole. */
  readonly body: number;
  /** Of a body that is passed through as it streams in: none unless the configuration says `body`. */
  readonly forwardedBody: number;
  readonly bodyTimeout: number;
  readonly headerTimeout: number;
  readonly sessions: number;
  readonly sessionIdle: number;
  /** How long a session may live, used or not. */
  readonly sessionAge: number;
  /** How long a legacy call goes on after its connection was lost. */
  readonly detachedCall: number;
  /** How long a client, and whoever sits at it, may take to answer what a server asks. */
  readonly input: number;
  /** How many client names get a series of their own in the metrics. */
  readonly clientSeries: number;
}

/** The whole configuration. */
export interface Config {
  readonly listen: { readonly host: string; readonly port: number };
  readonly publicUrl: URL | undefined;
  readonly admin: { readonly host: string; readonly port: number } | undefined;
  readonly upstreams: ReadonlyMap<string, UpstreamConfig>;
  readonly allow: { readonly hosts: readonly string[]; readonly origins: readonly string[] };
  readonly limits: Limits;
  readonly log: {
    readonly level: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';
    readonly format: 'json' | 'pretty';
  };
  /** How long open work may go on after SIGTERM. */
  readonly shutdownGrace: number;
}
