import type { Introduced } from './types.js';

/** 2025-11-25, changelog: what it added to results (icons, execution) are members that older clients let pass. */
export const revision20251125: Introduced = {
  revision: '2025-11-25',
  capabilities: [],
  content: [],
  structuredContent: false,
};
