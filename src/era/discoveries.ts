/**
 * What `server/discover` said, for those who ask on behalf of an owner (2026-07-28, server/utilities/caching): kept
 * no longer than `ttlMs`, and shared between owners only where the upstream called it `public`.
 */
import { RefusalError, refuse } from '../errors.js';
import type { HttpUpstream } from '../upstreams/http.js';
import { kindOf, memberAt, rawText, stringValue } from '../wire/json.js';
import { probeUpstream, type ProbeOutcome } from './probe.js';

/** On whose behalf. */
export interface Asker {
  /** Never empty. */
  readonly owner: string;
  readonly authorization: string | undefined;
}

interface Kept {
  readonly result: Buffer;
  /** On the clock of `performance.now()`. */
  readonly expires: number;
}

/** However long an upstream allows, an answer is asked for again after this (milliseconds). */
const longestMs = 3_600_000;
/** Answers that are kept, for all upstreams together; the oldest gives way. */
const mostKept = 1_000;
/** A larger answer is not kept: together with the number above, a bound on memory. */
const largestKept = 64 * 1024;
/** In place of an owner, for answers that are everyone's. */
const everyone = '';

/** Who was taken for modern has turned out to be legacy. */
export class EraChangedError extends Error {
  constructor() {
    super('the upstream speaks legacy revisions only');
    this.name = 'EraChangedError';
  }
}

/** The DiscoverResults of one gateway. */
export class Discoveries {
  readonly #kept = new Map<string, Kept>();
  readonly #asking = new Map<string, Promise<Buffer>>();
  readonly #closed = new AbortController();
  readonly #onOutcome: (upstream: HttpUpstream, outcome: ProbeOutcome) => void;

  /** `onOutcome` learns what every question brought: it is a probe as well. */
  constructor(onOutcome: (upstream: HttpUpstream, outcome: ProbeOutcome) => void) {
    this.#onOutcome = onOutcome;
  }

  /**
   * The raw DiscoverResult of `upstream` for `asker`; concurrent questions of one owner share one answer.
   * Throws a RefusalError where there is none, or an EraChangedError.
   */
  get(upstream: HttpUpstream, asker: Asker): Promise<Buffer> {
    const known = this.#fresh(keyOf(upstream, everyone)) ?? this.#fresh(keyOf(upstream, asker.owner));
    if (known !== undefined) return Promise.resolve(known);
    const key = keyOf(upstream, asker.owner);
    let asking = this.#asking.get(key);
    if (asking === undefined) {
      asking = this.#ask(upstream, asker).finally(() => this.#asking.delete(key));
      this.#asking.set(key, asking);
    }
    return asking;
  }

  /** Ends the questions under way; who waits for one is told that the gateway is shutting down. */
  close(): void {
    this.#closed.abort(new RefusalError(refuse('shutting-down')));
  }

  async #ask(upstream: HttpUpstream, { owner, authorization }: Asker): Promise<Buffer> {
    const outcome = await probeUpstream(upstream, { authorization, signal: this.#closed.signal });
    this.#onOutcome(upstream, outcome);
    if (outcome.kind === 'none') throw new RefusalError(outcome.refusal);
    const result = outcome.discovered;
    if (outcome.speaks === 'legacy') throw new EraChangedError();
    if (result === undefined)
      throw new RefusalError(refuse('upstream-unintelligible', { detail: 'server/discover gave no modern revision' }));
    const { ttl, shared } = cachingOf(result);
    if (ttl > 0 && result.length <= largestKept)
      this.#keep(keyOf(upstream, shared ? everyone : owner), { result, expires: performance.now() + ttl });
    return result;
  }

  #fresh(key: string): Buffer | undefined {
    const kept = this.#kept.get(key);
    if (kept === undefined || kept.expires > performance.now()) return kept?.result;
    this.#kept.delete(key);
    return undefined;
  }

  #keep(key: string, kept: Kept): void {
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > mostKept && oldest !== undefined) this.#kept.delete(oldest);
  }
}

/** The name of an upstream has no space (configuration schema), so no two pairs are one key. */
function keyOf(upstream: HttpUpstream, owner: string): string {
  return `${upstream.name} ${owner}`;
}

/** `ttlMs` and `cacheScope` of a result; what is missing or odd is not kept. */
function cachingOf(result: Buffer): { ttl: number; shared: boolean } {
  const root = { start: 0, end: result.length };
  const ttl = memberAt(result, root, ['ttlMs'])?.value;
  const scope = memberAt(result, root, ['cacheScope'])?.value;
  return {
    ttl: ttl && kindOf(result, ttl) === 'number' ? Math.min(Number(rawText(result, ttl)), longestMs) : 0,
    shared: scope !== undefined && kindOf(result, scope) === 'string' && stringValue(result, scope) === 'public',
  };
}
