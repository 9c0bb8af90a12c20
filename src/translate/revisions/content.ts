/** Content blocks for clients that are older than their type: each becomes a text, in its place. Pure. */
import { kindOf, memberAt, rawText, stringValue, type Span, type Splice } from '../../wire/json.js';
import { isNewerContent } from './index.js';

/** How a block of a type reads as text. */
const renderings: ReadonlyMap<string, (read: (key: string) => string | undefined) => string> = new Map([
  ['audio', (read) => `[audio, ${read('mimeType') ?? 'of unknown type'}: this client's revision has no audio content]`],
  [
    'resource_link',
    (read) => [read('title') ?? read('name'), read('uri'), read('description')].filter(Boolean).join('\n'),
  ],
]);

/** The splice that puts a text in place of the block at `span`, where the client's revision does not know its type. */
export function olderContent(bytes: Buffer, span: Span, revision: string): Splice[] {
  const read = (key: string): string | undefined => {
    const value = memberAt(bytes, span, [key])?.value;
    return value && kindOf(bytes, value) === 'string' ? stringValue(bytes, value) : undefined;
  };
  const type = read('type');
  const render = type !== undefined && isNewerContent(revision, type) ? renderings.get(type) : undefined;
  if (render === undefined) return [];
  // Who it is for and how much it matters is said in the same way in all revisions.
  const annotations = memberAt(bytes, span, ['annotations'])?.value;
  const kept = annotations === undefined ? '' : `,"annotations":${rawText(bytes, annotations)}`;
  return [{ ...span, bytes: Buffer.from(`{"type":"text","text":${JSON.stringify(render(read))}${kept}}`) }];
}
