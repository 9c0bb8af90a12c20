/** Whether the gateway can be sent traffic: it listens, and each upstream that has to be there was reached once. */
import { probeUpstream } from './era/probe.js';
import type { Gateway } from './edge/gateway.js';
import type { Cell } from './errors.js';
import type { HttpUpstream } from './upstreams/http.js';

const firstPause = 250;
const longestPause = 15_000;

/** The cells that say nobody was there. */
const unreached: ReadonlySet<Cell> = new Set<Cell>(['upstream-unreachable', 'upstream-timeout', 'upstream-reset']);

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

  /** Whether anything answered; what it said is a verdict too. */
  async #knock(upstream: HttpUpstream): Promise<boolean> {
    try {
      const outcome = await probeUpstream(upstream, { signal: this.#stopped.signal });
      this.#gateway.verdicts.note(upstream, outcome);
      return outcome.kind === 'verdict' || !unreached.has(outcome.refusal.cell);
    } catch {
      return false; // stopped
    }
  }
}
