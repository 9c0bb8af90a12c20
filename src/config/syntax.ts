/** What is wrong with a file as YAML. */
import { visit, type ErrorCode, type YAMLError } from 'yaml';
import type { Problem } from './problem.js';
import type { Source } from './source.js';

/** In our own words: those of the library may quote the text, which may hold a secret. */
const sentences: Partial<Record<ErrorCode, string>> = {
  BAD_DQ_ESCAPE: 'this backslash escape is unknown; single quotes take backslashes as they are',
  BAD_INDENT: 'the indentation does not fit the lines before',
  BAD_SCALAR_START: 'a text that begins with this character must stand in quotes',
  BLOCK_AS_IMPLICIT_KEY: 'a mapping cannot stand on the line of its key; is there a second colon, or a quote missing?',
  BLOCK_IN_FLOW: 'a block cannot stand inside { } or [ ]',
  DUPLICATE_KEY: 'this key stands twice; each key may stand once',
  MISSING_CHAR: 'a closing quote, a comma, a colon or a bracket is missing here or before',
  MULTILINE_IMPLICIT_KEY:
    'a key must stand on one line, with a colon and a space after it; is a quote or a colon missing?',
  MULTIPLE_DOCS: 'a second document begins here; a configuration is one document',
  TAB_AS_INDENT: 'a tab stands in the indentation; indent with spaces',
  TAG_RESOLVE_FAILED: 'this !tag is unknown',
  UNEXPECTED_TOKEN: 'this is not expected here; is a quote, a comma or a bracket missing before it?',
};

const quoteReference = '(inside { } and [ ], "${NAME}" must stand in quotes)';

/** Everything that is wrong with the file as YAML, and whether what was read of it is worth a further look. */
export function checkSyntax(source: Source): { problems: Problem[]; readable: boolean } {
  const { errors, warnings } = source.doc;
  // After one token out of place the library stumbles over all that follow.
  const stumble = errors.find(({ code }) => code === 'UNEXPECTED_TOKEN');
  const told = [...errors, ...warnings].filter((error) => error.code !== 'UNEXPECTED_TOKEN' || error === stumble);
  const dangling = danglingAliases(source);
  return {
    problems: [...told.map((error) => problemOf(source, error)), ...dangling],
    readable: dangling.length === 0 && errors.every(({ code }) => code === 'DUPLICATE_KEY'),
  };
}

/** The library finds these only where it resolves them, and then stops. */
function danglingAliases(source: Source): Problem[] {
  const problems: Problem[] = [];
  visit(source.doc, {
    Alias(_, alias) {
      if (alias.resolve(source.doc) !== undefined) return;
      problems.push(source.problemAt(alias.range?.[0] ?? 0, 'this *alias names no &anchor that stands before it'));
    },
  });
  return problems;
}

function problemOf(source: Source, { code, message, pos: [offset] }: YAMLError): Problem {
  // The library names the end of the file here, which helps nobody.
  if (/^Missing closing .*quote/.test(message)) {
    return source.problem(source.pathAt(offset - 1), 'the quote that opens here is never closed');
  }
  const sentence = sentences[code] ?? `this is not YAML as it is understood here (${code})`;
  const isReference = source.text.startsWith('${', offset - 1);
  return source.problemAt(offset, isReference ? `${sentence} ${quoteReference}` : sentence);
}
