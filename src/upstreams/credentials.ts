/**
 * Whose credential goes up (translation.md §3): the client's `Authorization`, unless the configuration gives the
 * upstream headers of its own; a header that is configured always wins over the client's header of that name.
 */

/** The configured headers of one upstream, ready to be laid over a client's. */
export class OwnHeaders {
  readonly #names: ReadonlySet<string>;
  readonly #flat: readonly string[];

  /** `configured` maps names in any case to values, which may be secrets. */
  constructor(configured: ReadonlyMap<string, string>) {
    this.#names = new Set([...configured.keys()].map((name) => name.toLowerCase()));
    this.#flat = [...configured].flat();
  }

  /** Whether a header of this lower-case name is configured. */
  has(name: string): boolean {
    return this.#names.has(name);
  }

  /** `headers` as a flat list in which the configured ones stand in place of the client's. */
  over(headers: readonly string[] | Readonly<Record<string, string>>): string[] {
    const flat = Array.isArray(headers) ? (headers as readonly string[]) : Object.entries(headers).flat();
    if (this.#flat.length === 0) return flat as string[];
    const merged: string[] = [];
    for (let at = 0; at < flat.length; at += 2) {
      const name = flat[at] as string;
      if (!this.#names.has(name.toLowerCase())) merged.push(name, flat[at + 1] as string);
    }
    merged.push(...this.#flat);
    return merged;
  }
}
