import type { Introduced } from './types.js';

/** 2025-03-26, changelog: audio, completions; also batches, which the next one took back. */
export const revision20250326: Introduced = {
  revision: '2025-03-26',
  capabilities: ['completions'],
  content: ['audio'],
  structuredContent: false,
};
