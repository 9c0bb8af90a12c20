/** What one running gateway consists of: the parts that every exchange may need, made once. */
import type { Logger } from 'pino';
import type { Config } from '../config/types.js';
import { refuse } from '../errors.js';
import { Discoveries } from '../era/discoveries.js';
import { Verdicts } from '../era/verdicts.js';
import type { Recorder } from '../metrics/record.js';
import { Sessions } from '../sessions/sessions.js';
import { MemoryStore } from '../sessions/store.js';
import { ToolMemory } from '../translate/tool-memory.js';
import { HttpUpstream } from '../upstreams/http.js';
import type { Exchange } from './exchange.js';
import { Exchanges } from './exchanges.js';

/** What a gateway is made with. */
export interface GatewaySetup {
  readonly config: Config;
  readonly log: Logger;
  readonly recorder: Recorder;
}

/** The parts of one running gateway. */
export class Gateway {
  readonly config: Config;
  readonly log: Logger;
  readonly recorder: Recorder;
  readonly upstreams: ReadonlyMap<string, HttpUpstream>;
  readonly verdicts: Verdicts;
  readonly discoveries: Discoveries;
  readonly sessions: Sessions;
  readonly tools: ToolMemory;
  /**
   * Upstreams whose last successful answer to `initialize` carried no `Mcp-Session-Id`: their legacy clients
   * rightly send none, so its absence is no fault there.
   */
  readonly sessionless = new Set<string>();
  /** The exchanges under way. */
  readonly exchanges = new Exchanges();

  #closing = false;
  #requests = 0;
  /** Tells the requests of two gateways apart in one log. */
  readonly #run = Date.now().toString(36);

  constructor({ config, log, recorder }: GatewaySetup) {
    this.config = config;
    this.log = log;
    this.recorder = recorder;
    this.upstreams = new Map([...config.upstreams.values()].map((one) => [one.name, new HttpUpstream(one)]));
    this.verdicts = new Verdicts({ recorder });
    this.discoveries = new Discoveries((upstream, outcome) => this.verdicts.note(upstream, outcome));
    this.sessions = new Sessions({ store: new MemoryStore(), limits: config.limits, recorder });
    this.tools = new ToolMemory(log);
  }

  /** Whether shutdown has begun: new requests are refused. */
  get closing(): boolean {
    return this.#closing;
  }

  /** A name for one request, unique in the log. */
  nextRequestId(): string {
    return `${this.#run}-${(++this.#requests).toString(36)}`;
  }

  /** Knows `exchange` until its response is closed. */
  track(exchange: Exchange): void {
    this.exchanges.add(exchange);
    exchange.response.once('close', () => this.exchanges.delete(exchange));
  }

  /**
   * Ends everything: streams that would never end by themselves at once, calls after at most `grace` milliseconds,
   * then sessions, probes and upstream connections.
   */
  async close(grace: number): Promise<void> {
    this.#closing = true;
    const deadline = performance.now() + grace;
    for (;;) {
      for (const exchange of this.exchanges) if (exchange.endless) exchange.response.destroy();
      if (this.exchanges.size === 0 || performance.now() >= deadline) break;
      await new Promise((wake) => setTimeout(wake, 20));
    }
    // Who still waits is told so: translated calls by their sessions, the others here.
    this.verdicts.close();
    this.discoveries.close();
    await this.sessions.close();
    for (const exchange of this.exchanges) exchange.refuse(refuse('shutting-down'));
    await new Promise((wake) => setImmediate(wake));
    await Promise.all([...this.upstreams.values()].map((upstream) => upstream.close()));
  }
}
