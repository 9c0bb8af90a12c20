/** JSON as bytes: byte ranges and splices over a document; nothing is built that is not ours. */
export type { Span } from './json-scan.js';
export { checkJson, type Checked } from './json-check.js';
export {
  arrayElements,
  findMember,
  kindOf,
  memberAt,
  objectMembers,
  rawText,
  stringValue,
  type JsonKind,
  type Member,
} from './json-members.js';
export {
  addMembers,
  applySplices,
  editObject,
  removeElements,
  removeMembers,
  replaceValue,
  type Splice,
} from './json-edit.js';
