import type { Introduced } from './types.js';

/** The first revision. */
export const revision20241105: Introduced = {
  revision: '2024-11-05',
  capabilities: ['experimental', 'logging', 'prompts', 'resources', 'tools'],
  content: ['text', 'image', 'resource'],
  structuredContent: false,
};
