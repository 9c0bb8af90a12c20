/** What we believe each upstream speaks: probed once, shared, kept with an expiry. */
import { refuse, RefusalError } from '../errors.js';
import type { Recorder } from '../metrics/record.js';
import type { HttpUpstream } from '../upstreams/http.js';
import type { Speaks } from './classify-probe.js';
import { probeUpstream, type ProbeOutcome } from './probe.js';

/** What we believe, and until when. */
export interface Verdict {
  readonly speaks: Speaks;
  /** On the clock of `performance.now()`; infinite where the configuration has spoken. */
  readonly expires: number;
}

interface Kept {
  readonly verdict: Verdict;
  /** When a new verdict may be sought, once this one has expired. */
  refreshFrom: number;
}

/** After a background probe that brought nothing, the next one waits so long (milliseconds). */
const refreshPause = 5_000;

/** The verdicts of one gateway. */
export class Verdicts {
  readonly #recorder: Pick<Recorder, 'verdict' | 'probed'>;
  readonly #kept = new Map<HttpUpstream, Kept>();
  /** Probes under way, by upstream and credential: concurrent first requests share one. */
  readonly #probes = new Map<HttpUpstream, Map<string, Promise<Verdict>>>();
  readonly #closed = new AbortController();

  constructor({ recorder }: { recorder: Pick<Recorder, 'verdict' | 'probed'> }) {
    this.#recorder = recorder;
  }

  /**
   * What `upstream` speaks. A verdict that has expired is still served while a new one is sought; without one, the
   * caller waits for the probe. `authorization` is the client's, and goes along with the probe.
   * Throws a RefusalError where there is no verdict: unreachable, timed out, 5xx, or a challenge for the client.
   */
  async get(upstream: HttpUpstream, authorization: string | undefined): Promise<Verdict> {
    const known = this.peek(upstream);
    if (known === undefined) return this.#probeOnce(upstream, authorization);
    if (known.expires <= performance.now()) this.#refresh(upstream, authorization);
    return known;
  }

  /** What is believed at this moment, expired or not; undefined before the first verdict. */
  peek(upstream: HttpUpstream): Verdict | undefined {
    const { era } = upstream.config;
    return era === 'auto' ? this.#kept.get(upstream)?.verdict : { speaks: era, expires: Infinity };
  }

  /** An answer contradicted the verdict: the next request probes again. A pinned era stays. */
  contradict(upstream: HttpUpstream): void {
    this.#kept.delete(upstream);
  }

  /** A probe that someone else made (readiness, discovery) ended so: it is a verdict too. */
  note(upstream: HttpUpstream, outcome: ProbeOutcome): void {
    this.#recorder.probed(upstream.name, outcome.kind === 'none' ? outcome.refusal.cell : outcome.speaks);
    if (outcome.kind === 'verdict' && upstream.config.era === 'auto') this.#keep(upstream, outcome.speaks);
  }

  /** Ends the probes under way; who waits for one is told that the gateway is shutting down. */
  close(): void {
    this.#closed.abort(new RefusalError(refuse('shutting-down')));
  }

  #probeOnce(upstream: HttpUpstream, authorization: string | undefined): Promise<Verdict> {
    const key = upstream.hasOwnAuthorization ? '' : (authorization ?? '');
    const running = this.#probes.get(upstream) ?? new Map<string, Promise<Verdict>>();
    this.#probes.set(upstream, running);
    let probe = running.get(key);
    if (probe === undefined) {
      probe = this.#ask(upstream, authorization).finally(() => running.delete(key));
      running.set(key, probe);
    }
    return probe;
  }

  async #ask(upstream: HttpUpstream, authorization: string | undefined): Promise<Verdict> {
    const outcome = await probeUpstream(upstream, { authorization, signal: this.#closed.signal });
    this.note(upstream, outcome);
    if (outcome.kind === 'none') throw new RefusalError(outcome.refusal);
    return verdictOf(upstream, outcome.speaks);
  }

  /** In the background: whoever asks meanwhile is served by the old verdict, also if the probe fails. */
  #refresh(upstream: HttpUpstream, authorization: string | undefined): void {
    const kept = this.#kept.get(upstream);
    if (kept === undefined || kept.refreshFrom > performance.now()) return;
    kept.refreshFrom = Infinity;
    this.#probeOnce(upstream, authorization).catch(() => {
      kept.refreshFrom = performance.now() + refreshPause;
    });
  }

  #keep(upstream: HttpUpstream, speaks: Speaks): void {
    if (this.#kept.get(upstream)?.verdict.speaks !== speaks) this.#recorder.verdict(upstream.name, speaks);
    const verdict = verdictOf(upstream, speaks);
    this.#kept.set(upstream, { verdict, refreshFrom: verdict.expires });
  }
}

/** A modern verdict lasts until it is contradicted; a server with a legacy side may lose it any day. */
function verdictOf(upstream: HttpUpstream, speaks: Speaks): Verdict {
  return { speaks, expires: speaks === 'modern' ? Infinity : performance.now() + upstream.config.verdictTtl };
}
