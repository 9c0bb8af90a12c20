import type { LegacyRevision } from '../../wire/meta-keys.js';

/**
 * What one revision introduced, of that without which an older client breaks: its parsers know the types of content
 * and the schemas of results, and let members pass that they do not know (`title`, `icons`, `execution`, `_meta`, …), so
 * those are left as they are.
 */
export interface Introduced {
  readonly revision: LegacyRevision;
  /** Capabilities of a server. */
  readonly capabilities: readonly string[];
  /** Types of content blocks. */
  readonly content: readonly string[];
  /** Whether results of tools have `structuredContent` since then. */
  readonly structuredContent: boolean;
}
