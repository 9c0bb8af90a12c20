import type { Introduced } from './types.js';

/** 2025-06-18, changelog: structured output of tools, links to resources. */
export const revision20250618: Introduced = {
  revision: '2025-06-18',
  capabilities: [],
  content: ['resource_link'],
  structuredContent: true,
};
