/** URL-mode elicitations of one call: the legacy era follows them by an id that the modern era no longer has. */
import { randomUUID } from 'node:crypto';
import { applySplices, editObject, kindOf, memberAt, stringValue } from '../../wire/json.js';
import { modeOf } from './map-capabilities.js';
import type { Question } from './map-input.js';

/** Those of one call (2025-11-25, client/elicitation "Completion Notifications"). Urls and ids are raw JSON. */
export class UrlElicitations {
  /** The ids of those that the user agreed to and that have not been completed, by url. */
  readonly #agreed = new Map<string, string>();

  /** The question with an `elicitationId`; asked again for the same url it is the same elicitation. */
  identify(question: Question): Question {
    const { url, id } = partsOf(question) ?? {};
    if (url === undefined || id !== undefined) return question;
    const minted = this.#agreed.get(url) ?? JSON.stringify(randomUUID());
    const bytes = Buffer.from(question.params as string);
    const splices = editObject(bytes, { start: 0, end: bytes.length }, { set: [['elicitationId', minted]] });
    return { ...question, params: applySplices(bytes, splices).toString() };
  }

  /** Takes note of the answer, raw JSON, to an identified question. */
  answered(question: Question, answer: string): void {
    const { url, id } = partsOf(question) ?? {};
    if (url === undefined || id === undefined) return;
    if (textAt(Buffer.from(answer), 'action') === '"accept"') this.#agreed.set(url, id);
    else this.#agreed.delete(url);
  }

  /** The ids of those that are over, now that the upstream asks `next` in place of them; it may ask for nothing. */
  movedOn(next: readonly Question[]): string[] {
    const still = new Set(next.map((question) => partsOf(question)?.url));
    const over = [...this.#agreed].filter(([url]) => !still.has(url));
    for (const [url] of over) this.#agreed.delete(url);
    return over.map(([, id]) => id);
  }
}

/** The url and the id of an elicitation in URL mode. */
function partsOf({ method, params }: Question): { url: string; id: string | undefined } | undefined {
  if (method !== 'elicitation/create' || params === undefined) return undefined;
  const bytes = Buffer.from(params);
  if (modeOf(bytes) !== 'url') return undefined;
  return { url: textAt(bytes, 'url') ?? '', id: textAt(bytes, 'elicitationId') };
}

/** The string `key` of the object that is the whole of `bytes`, spelled as JSON.stringify does. */
function textAt(bytes: Buffer, key: string): string | undefined {
  const value = memberAt(bytes, { start: 0, end: bytes.length }, [key])?.value;
  if (value === undefined || kindOf(bytes, value) !== 'string') return undefined;
  return JSON.stringify(stringValue(bytes, value));
}
