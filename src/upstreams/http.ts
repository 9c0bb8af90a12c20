import type { UpstreamConfig } from '../config/types.js';

/** One HTTP upstream. */
export class HttpUpstream {
  constructor(readonly config: UpstreamConfig) {}
  get name(): string {
    return this.config.name;
  }
}
