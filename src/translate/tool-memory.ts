/** What the gateway keeps of the tools that it has seen listed. */
import type { Logger } from 'pino';
import type { KnownTool, ListedTool, ToolList } from './tool-list.js';

/** Tools that are kept, for all upstreams and owners together; the one that was listed longest ago gives way. */
const mostKept = 5_000;
/** A tool that takes more characters is not kept: together with the number above, a bound on memory. */
const largestKept = 4_096;
/** In place of an owner, for lists that are everyone's. */
const everyone = '';

/**
 * The tools of all upstreams that need something when they are called, as last listed: for one owner unless the
 * upstream called the list `public`. A tool that needs nothing takes no room.
 */
export class ToolMemory {
  readonly #kept = new Map<string, KnownTool>();
  readonly #told = new Set<string>();
  readonly #log: Pick<Logger, 'warn'>;

  constructor(log: Pick<Logger, 'warn'>) {
    this.#log = log;
  }

  /** Learns one page; a tool that is hidden from clients is told of once. `owner` is never empty. */
  learn(upstream: string, owner: string, { tools, shared }: ToolList): void {
    for (const tool of tools) {
      const key = keyOf(upstream, shared ? everyone : owner, tool.name);
      this.#kept.delete(key);
      if (tool.invalid !== undefined) this.#tell(upstream, tool.name, tool.invalid);
      else this.#keep(key, tool);
    }
  }

  /** The tool called `name`, if it needs anything. */
  find(upstream: string, owner: string, name: string): KnownTool | undefined {
    return this.#kept.get(keyOf(upstream, owner, name)) ?? this.#kept.get(keyOf(upstream, everyone, name));
  }

  #keep(key: string, { params, wrapsOutput }: ListedTool): void {
    if (params.length === 0 && !wrapsOutput) return;
    if (key.length + JSON.stringify(params).length > largestKept) return;
    this.#kept.set(key, { params, wrapsOutput });
    dropOldest(this.#kept);
  }

  #tell(upstream: string, tool: string, reason: string): void {
    const key = keyOf(upstream, reason, tool);
    if (this.#told.has(key) || key.length > largestKept) return;
    this.#told.add(key);
    dropOldest(this.#told);
    this.#log.warn({ upstream, tool, reason }, 'a tool is not shown to clients');
  }
}

function keyOf(...parts: string[]): string {
  return JSON.stringify(parts);
}

function dropOldest(kept: Map<string, unknown> | Set<string>): void {
  const [oldest] = kept.keys();
  if (kept.size > mostKept && oldest !== undefined) kept.delete(oldest);
}
