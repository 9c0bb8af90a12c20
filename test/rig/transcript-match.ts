/**
 * Compares what the gateway said with what the story says. Both sides become lines of text, the found one written
 * as the story writes it (order of headers, `{{names}}`), so that a plain diff shows what differs and nothing else.
 */
import type { MessagePart } from './transcript.js';

/** A message off the wire. */
export interface Found {
  readonly startLine: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
}

/** Headers of the hop, compared only where the story writes them; all others must be listed, and no more than that. */
const quietHeaders = new Set(['connection', 'content-length', 'date', 'host', 'keep-alive', 'transfer-encoding']);

/** What a new name may stand for: a JSON string with its quotes, or text in which quotes are escaped; one line. */
const captured = String.raw`"(?:[^"\\\n\r]|\\.)*"|(?:[^"\\\n\r]|\\.)+?`;

const placeholder = /\{\{([a-zA-Z][\w-]*)\}\}/g;

/** The values of the `{{names}}` of one story. */
export class Captures {
  readonly #values = new Map<string, string>();

  /** Gives a name its value. */
  set(name: string, value: string): void {
    this.#values.set(name, value);
  }

  /** `text` with its names replaced by values; throws where a name has none yet. */
  fill(text: string): string {
    return text.replace(placeholder, (_all, name: string) => {
      const value = this.#values.get(name);
      if (value === undefined) throw new Error(`{{${name}}} has no value yet`);
      return value;
    });
  }

  /**
   * Whether `text` is what `template` says: a name that has a value stands for exactly that, a new one takes the
   * text that stands in its place: a JSON string, or text of one line without bare quotes.
   */
  match(template: string, text: string): boolean {
    const names: string[] = [];
    let pattern = '';
    let end = 0;
    for (const hit of template.matchAll(placeholder)) {
      const name = hit[1] ?? '';
      pattern += escape(template.slice(end, hit.index));
      const value = this.#values.get(name);
      if (value !== undefined) pattern += escape(value);
      else if (names.includes(name)) pattern += `\\k<c${names.indexOf(name)}>`;
      else pattern += `(?<c${names.push(name) - 1}>${captured})`;
      end = hit.index + hit[0].length;
    }
    const match = new RegExp(`^${pattern}${escape(template.slice(end))}$`, 's').exec(text);
    names.forEach((name, index) => {
      const value = match?.groups?.[`c${index}`];
      if (value !== undefined) this.#values.set(name, value);
    });
    return match !== null;
  }

  /** `text` as the story would write it: values that have a name become that name. */
  redact(text: string): string {
    const longestFirst = [...this.#values].sort(([, a], [, b]) => b.length - a.length);
    return longestFirst.reduce(
      (all, [name, value]) => (value.length < 6 ? all : all.replaceAll(value, `{{${name}}}`)),
      text,
    );
  }
}

function escape(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/** A message as the lines of the story. */
export function renderMessage(message: Found | MessagePart): string {
  const head = [message.startLine, ...message.headers.map(([name, value]) => `${name}: ${value}`)].join('\n');
  return message.body === '' ? head : `${head}\n\n${message.body}`;
}

/** `found` as the story writes it, after `expected` has taken its captures from it; equal to it if they match. */
export function renderAs(expected: MessagePart, found: Found, captures: Captures): Found {
  const left = found.headers.filter(
    ([name]) => !quietHeaders.has(name.toLowerCase()) || expected.headers.some(([wanted]) => sameName(wanted, name)),
  );
  const inOrder: (readonly [string, string])[] = [];
  for (const [name, value] of expected.headers) {
    const index = left.findIndex(([other]) => sameName(other, name));
    const [hit] = index < 0 ? [] : left.splice(index, 1);
    if (hit !== undefined) inOrder.push([name, renderText(value, hit[1], captures)]);
  }
  return {
    startLine: renderText(expected.startLine, found.startLine, captures),
    headers: [...inOrder, ...left.map(([name, value]) => [name, captures.redact(value)] as const)],
    body: renderText(expected.body, found.body, captures),
  };
}

/** `found` as `template` if they match; else with its known values named, for a diff. */
export function renderText(template: string, found: string, captures: Captures): string {
  return captures.match(template, found) ? template : captures.redact(found);
}

function sameName(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

/** A list of raw headers as pairs. */
export function pairs(raw: readonly string[]): [string, string][] {
  const list: [string, string][] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) list.push([raw[at] ?? '', raw[at + 1] ?? '']);
  return list;
}
