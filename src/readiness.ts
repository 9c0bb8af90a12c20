/** Whether the gateway can be sent traffic: it listens, and each upstream that has to be there was reached once. */
import { connect } from 'node:net';
import type { Gateway } from './edge/gateway.js';
import type { HttpUpstream } from './upstreams/http.js';

const firstPause = 250;
const longestPause = 15_000;

/** Knocks at every upstream until it has answered once, with growing pauses. */
export class Readiness {
  readonly #gateway: Gateway;
  readonly #waitingFor: Set<string>;
  readonly #stopped = new AbortController();

  constructor(gateway: Gateway) {
    this.#gateway = gateway;
    this.#waitingFor = new Set(
      [...gateway.upstreams.values()].filter((one) => !one.config.optional).map((one) => one.name),
    );
  }

  /** For `/readyz`. */
  state(): { ready: boolean; waitingFor: readonly string[] } {
    const ready = this.#waitingFor.size === 0 && !this.#gateway.closing;
    return { ready, waitingFor: [...this.#waitingFor] };
  }

  /** Begins to knock. */
  start(): void {
    for (const upstream of this.#gateway.upstreams.values()) void this.#reach(upstream, firstPause);
  }

  /** Ends all knocking. */
  stop(): void {
    this.#stopped.abort();
  }

  async #reach(upstream: HttpUpstream, pause: number): Promise<void> {
    const { signal } = this.#stopped;
    if (signal.aborted) return;
    const reached = await this.#knock(upstream);
    if (reached) {
      this.#waitingFor.delete(upstream.name);
      return;
    }
    this.#gateway.log.warn({ upstream: upstream.name, retryMs: pause }, 'upstream not reached yet');
    setTimeout(() => void this.#reach(upstream, Math.min(pause * 2, longestPause)), pause).unref();
  }

  /** Whether somebody listens there. No request is sent: a server may be pinned, or want a credential first. */
  #knock({ config }: HttpUpstream): Promise<boolean> {
    const { hostname, port, protocol } = config.url;
    const host = hostname.replace(/^\[|\]$/g, '');
    return new Promise((resolve) => {
      const socket = connect({ host, port: Number(port) || (protocol === 'https:' ? 443 : 80) });
      const finish = (reached: boolean): void => {
        socket.destroy();
        resolve(reached);
      };
      socket.setTimeout(config.timeouts.connect, () => finish(false));
      socket.once('connect', () => finish(true)).once('error', () => finish(false));
    });
  }
}
