/** The reserved `_meta` keys and the protocol revisions (2026-07-28, basic/index `_meta`; basic/versioning). */

/** Reserved `_meta` keys of the modern era. */
export const metaKeys = {
  protocolVersion: 'io.modelcontextprotocol/protocolVersion',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  clientCapabilities: 'io.modelcontextprotocol/clientCapabilities',
  logLevel: 'io.modelcontextprotocol/logLevel',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
  subscriptionId: 'io.modelcontextprotocol/subscriptionId',
} as const;

/** `legacy` opens with `initialize`; `modern` carries an envelope on every request. */
export type Era = 'legacy' | 'modern';

/** The legacy revisions, newest first. */
export const legacyRevisions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;

/** The modern revisions that the gateway serves, newest first. */
export const modernRevisions = ['2026-07-28'] as const;

/** One of the legacy revisions. */
export type LegacyRevision = (typeof legacyRevisions)[number];

/** Whether `revision` is a legacy revision that we know. */
export function isLegacyRevision(revision: string): revision is LegacyRevision {
  return (legacyRevisions as readonly string[]).includes(revision);
}

/** Whether `revision` is a modern revision that we serve. */
export function isServedModernRevision(revision: string): boolean {
  return (modernRevisions as readonly string[]).includes(revision);
}

/**
 * Whether `revision` has the form of a modern revision (a date from 2026-07-28 on), served or not: such a
 * header claims the modern era even where the revision is one that we do not know.
 */
export function looksModern(revision: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(revision) && revision >= '2026-07-28';
}
