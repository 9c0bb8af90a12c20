import fc from 'fast-check';
import { arrayElements, kindOf, objectMembers, rawText, stringValue, type Span } from '../../../src/wire/json.js';

/** The bytes of a text. */
export const utf8 = (text: string): Buffer => Buffer.from(text);

/** A text for the name of an assertion: TAP is lines, and knows more line ends than one. */
export const show = (text: string): string =>
  JSON.stringify(text).replace(/[^ -~]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** What UTF-8 makes of a text: lone surrogates become U+FFFD. */
export const wellFormed = (text: string): string => utf8(text).toString();

/** White space as RFC 8259 knows it. */
export const space = fc
  .array(fc.constantFrom(' ', '\n', '\t', '\r'), { maxLength: 2 })
  .map((characters) => characters.join(''));

const awkwardKeys = ['id', 'method', 'params', '_meta', '__proto__', 'constructor', 'hasOwnProperty', ''];

/** Text of a JSON string: plain, or with every UTF-16 unit escaped, which may be a lone surrogate. */
export const jsonString = fc
  .tuple(
    fc.oneof(fc.string({ unit: 'binary', maxLength: 12 }), fc.constantFrom(...awkwardKeys, 'x'.repeat(99))),
    fc.constantFrom('plain', 'escaped', 'slashed'),
  )
  .map(([text, style]) => {
    const plain = JSON.stringify(text);
    if (style === 'slashed') return plain.replaceAll('/', '\\/');
    if (style === 'plain') return plain;
    const units = Array.from({ length: text.length }, (_, i) => text.charCodeAt(i));
    return `"${units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')}"`;
  });

const jsonNumber = fc.oneof(
  fc.constantFrom('0', '-0', '1.0', '-0.5', '9007199254740993', '1e3', '1E-7', '2.50e+10', '123456789012345678901234'),
  fc.integer().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => JSON.stringify(n)),
);

/** Text of any JSON value, with white space wherever it may stand and keys that may repeat. */
export const jsonText: fc.Arbitrary<string> = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.oneof(fc.constantFrom('true', 'false', 'null'), jsonNumber, jsonString),
    fc
      .tuple(space, fc.array(fc.tuple(space, tie('value'), space), { maxLength: 5 }))
      .map(([empty, items]) => `[${items.length ? items.map((item) => item.join('')).join(',') : empty}]`),
    fc
      .tuple(
        space,
        fc.array(fc.tuple(space, jsonString, space, fc.constant(':'), space, tie('value'), space), { maxLength: 5 }),
      )
      .map(([empty, items]) => `{${items.length ? items.map((item) => item.join('')).join(',') : empty}}`),
  ),
})).value;

/** Builds what JSON.parse would build, out of spans: an independent reader of the same bytes. */
export function build(bytes: Buffer, span: Span): unknown {
  switch (kindOf(bytes, span)) {
    case 'object': {
      const object = {};
      for (const { key, value } of objectMembers(bytes, span))
        Object.defineProperty(object, key, {
          value: build(bytes, value),
          enumerable: true,
          configurable: true,
          writable: true,
        });
      return object;
    }
    case 'array':
      return arrayElements(bytes, span).map((element) => build(bytes, element));
    case 'string':
      return stringValue(bytes, span);
    case 'number':
      return Number(rawText(bytes, span));
    case 'true':
      return true;
    case 'false':
      return false;
    case 'null':
      return null;
  }
}
