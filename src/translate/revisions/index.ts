/** What a client of each legacy revision knows (the changelog of each revision). To add one, add its file here. */
import { revision20241105 } from './2024-11-05.js';
import { revision20250326 } from './2025-03-26.js';
import { revision20250618 } from './2025-06-18.js';
import { revision20251125 } from './2025-11-25.js';
import type { Introduced } from './types.js';

const revisions: readonly Introduced[] = [revision20241105, revision20250326, revision20250618, revision20251125];

/** Whether a server may declare `capability` in this revision; what no legacy revision defines, it may not. */
export function definesCapability(revision: string, capability: string): boolean {
  return upTo(revision).some(({ capabilities }) => capabilities.includes(capability));
}

/** Whether results of tools have `structuredContent` in this revision. */
export function definesStructuredContent(revision: string): boolean {
  return upTo(revision).some(({ structuredContent }) => structuredContent);
}

/** Whether a content block of this type came later than this revision. A type that is in none is nobody's to judge. */
export function isNewerContent(revision: string, type: string): boolean {
  const introduced = revisions.find(({ content }) => content.includes(type));
  return introduced !== undefined && introduced.revision > revision;
}

function upTo(revision: string): readonly Introduced[] {
  return revisions.filter((one) => one.revision <= revision);
}
