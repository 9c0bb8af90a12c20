/**
 * One pair set up for its features: an upstream of one era, the gateway, and clients of one era.
 */
import type { Test } from 'tap';
import type { Era } from '../../src/wire/meta-keys.js';
import type { TestClient, Persona } from './clients.js';
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
  /** A client of the pair's era; it is closed, and what it was told is checked, when the feature is over. */
  readonly connect: (persona?: Persona) => Promise<TestClient>;
}

/** One row of the matrix. */
export interface Feature {
  readonly name: string;
  /** Where it is tried; everywhere when absent. */
  readonly pairs?: readonly Pair['name'][];
  run(t: Test, bench: Bench): Promise<void>;
}

/** Tries `attempt` until `true`, a few times a second; fails the test when it never is. */
export async function eventually(t: Test, what: string, attempt: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 20; tries++) {
    if (await attempt()) return void t.pass(what);
    await new Promise((resolve) => setTimeout(resolve, 150));
  }
  t.fail(what);
}
