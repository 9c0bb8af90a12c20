/** What a result needs beyond the common, by the method that it answers. Pure, by splices. */
import { arrayElements, kindOf, memberAt, type Span, type Splice } from '../../wire/json.js';
import { olderContent } from '../revisions/content.js';
import { definesStructuredContent } from '../revisions/index.js';
import { readToolList, type ToolList } from '../tool-list.js';
import { toolListEdits, toolResultEdits } from './map-tools.js';

/** What of a client, and of the tool that it calls, decides how it is answered. */
export interface ClientView {
  /** The legacy revision that was negotiated. */
  readonly revision: string;
  /** Whether the output of the called tool was listed to it in a wrapping. */
  readonly wrapsOutput: boolean;
}

/** The edits of one result. */
export interface ResultEdits {
  /** Those that make a member larger where it ends come first: other members are added behind it. */
  readonly splices: Splice[];
  /** The tools that it lists. */
  readonly listed?: ToolList;
}

type Edit = (bytes: Buffer, result: Span, view: ClientView) => ResultEdits;

const edits: ReadonlyMap<string, Edit> = new Map<string, Edit>([
  [
    'tools/list',
    (bytes, result) => {
      const listed = readToolList(bytes, result);
      return { splices: toolListEdits(bytes, result, listed), listed };
    },
  ],
  [
    'tools/call',
    (bytes, result, { revision, wrapsOutput }) => ({
      splices: [
        ...toolResultEdits(bytes, result, { wrapsOutput, structured: definesStructuredContent(revision) }),
        ...elementsAt(bytes, result, 'content').flatMap((block) => olderContent(bytes, block, revision)),
      ],
    }),
  ],
  [
    'prompts/get',
    (bytes, result, { revision }) => ({
      splices: elementsAt(bytes, result, 'messages')
        .flatMap((message) => memberAt(bytes, message, ['content'])?.value ?? [])
        .flatMap((block) => olderContent(bytes, block, revision)),
    }),
  ],
]);

/** The edits of a `result` of `method` for a client with this view. */
export function resultEdits(bytes: Buffer, result: Span, method: string, view: ClientView): ResultEdits {
  return edits.get(method)?.(bytes, result, view) ?? { splices: [] };
}

function elementsAt(bytes: Buffer, object: Span, key: string): Span[] {
  const value = memberAt(bytes, object, [key])?.value;
  return value !== undefined && kindOf(bytes, value) === 'array' ? arrayElements(bytes, value) : [];
}
