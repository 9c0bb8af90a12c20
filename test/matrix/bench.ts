/**
 * One pair set up for its features: an upstream of one era, the gateway, and clients of one era.
 */
import type { Test } from 'tap';
import type { Era } from '../../src/wire/meta-keys.js';
import type { TestClient, Persona } from './clients.js';
import type { Ability } from './generations.js';
import type { Stage } from './stage.js';

/** The pairs that are served, as client → upstream. */
export const pairs = [
  { name: 'legacy → legacy', client: 'legacy', upstream: 'legacy' },
  { name: 'modern → modern', client: 'modern', upstream: 'modern' },
  { name: 'legacy → modern', client: 'legacy', upstream: 'modern' },
] as const satisfies readonly { name: string; client: Era; upstream: Era }[];

/** One of them. */
export type Pair = (typeof pairs)[number];

/** What a feature is tried on. */
export interface Bench {
  readonly pair: Pair;
  /** Where the clients go. */
  readonly url: string;
  /** Another upstream of the same kind, behind the same gateway. */
  readonly otherUrl: string;
  readonly stage: Stage;
  /** Whether the clients are able to do this. */
  readonly can: (what: Ability) => boolean;
  /** What they name in `MCP-Protocol-Version`. */
  readonly header: string | undefined;
  /** A client of the pair's era; it is closed, and what it was told is checked, when the feature is over. */
  readonly connect: (persona?: Persona) => Promise<TestClient>;
}

/** One row of the matrix. */
export interface Feature {
  readonly name: string;
  /** Where it is tried; everywhere when absent. */
  readonly pairs?: readonly Pair['name'][];
  /** What a client needs for it. */
  readonly needs?: readonly Ability[];
  run(t: Test, bench: Bench): Promise<void>;
}

/** What differs from one kind of client to the other. */
export type Clients = Pick<Bench, 'can' | 'header' | 'pair'> & {
  readonly connect: (url: string, persona?: Persona) => Promise<TestClient>;
  /** Whether everything that they are told is looked at. */
  readonly watched: boolean;
};

/** Tries every feature that concerns `kind`, as a subtest each, with clients of that kind. */
export async function tryFeatures(
  t: Test,
  features: readonly Feature[],
  kind: Clients,
  place: Pick<Bench, 'url' | 'otherUrl' | 'stage'>,
): Promise<void> {
  for (const feature of features) {
    if (feature.pairs?.includes(kind.pair.name) === false) continue;
    if (!(feature.needs ?? []).every((what) => kind.can(what))) continue;
    await t.test(feature.name, { timeout: 20_000 }, async (t) => {
      const clients: TestClient[] = [];
      const connect = async (persona?: Persona): Promise<TestClient> => {
        const client = await kind.connect(place.url, persona);
        clients.push(client);
        return client;
      };
      try {
        await feature.run(t, { ...place, ...kind, connect });
      } finally {
        await Promise.all(clients.map((client) => client.close()));
      }
      if (!kind.watched) return;
      for (const { watch } of clients) {
        t.ok(watch.seen > 0);
        t.same(watch.faults, [], 'every message is as the schema of the client’s revision says');
      }
    });
  }
}

/** Tries `attempt` until `true`, a few times a second; fails the test when it never is. */
export async function eventually(t: Test, what: string, attempt: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 20; tries++) {
    if (await attempt()) return void t.pass(what);
    await new Promise((resolve) => setTimeout(resolve, 150));
  }
  t.fail(what);
}
