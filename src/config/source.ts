/** A YAML file with the place of everything in it. */
import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  type Document,
  type Node,
  type Pair,
  type Scalar,
} from 'yaml';
import { formatKey, type KeyPath, type Problem } from './problem.js';

/** What is meant by the place of a path: the key, or the value that it has. */
export type Spot = 'key' | 'value';

/** One YAML file, parsed. Broken YAML is parsed as far as it goes; `syntaxProblems` tells what is broken. */
export class Source {
  readonly doc: Document.Parsed;
  readonly #lines = new LineCounter();

  /** `text` is the whole file; `file` its name for messages. */
  constructor(
    readonly file: string,
    readonly text: string,
  ) {
    this.doc = parseDocument(text, {
      lineCounter: this.#lines,
      // The library's pretty messages quote the line, which may hold a secret.
      prettyErrors: false,
      // `1` and `"1"` are two keys to YAML and one to us.
      uniqueKeys: (a, b) => isScalar(a) && isScalar(b) && String(a.value) === String(b.value),
    });
  }

  /** A problem of the value, or the key, at `path`; where that does not stand in the file, of what is around it. */
  problem(path: KeyPath, message: string, spot: Spot = 'value'): Problem {
    let at = path;
    let offset = this.#offset(at, spot);
    while (offset === undefined && at.length > 0) {
      at = at.slice(0, -1);
      offset = this.#offset(at, 'key');
    }
    return this.#problemAt(offset ?? 0, formatKey(path), message);
  }

  /** A problem at an offset of the text. */
  problemAt(offset: number, message: string): Problem {
    return this.#problemAt(offset, formatKey(this.pathAt(offset)), message);
  }

  /** The text or number at `path`, through aliases; undefined where there is none. */
  scalarAt(path: KeyPath): Scalar | undefined {
    const node = this.#resolve(
      path.reduce<unknown>((parent, key) => this.#child(parent, key)?.value, this.doc.contents),
    );
    return isScalar(node) ? node : undefined;
  }

  /** The path of the innermost key or list item in whose text `offset` lies, or at whose end. */
  pathAt(offset: number): KeyPath {
    const path: string[] = [];
    // What ends with a line does not reach into the next.
    const end = this.text[offset - 1] === '\n' ? offset : offset - 1;
    let node: unknown = this.doc.contents;
    for (;;) {
      const inner = children(node).findLast(({ from, to }) => from <= offset && end < to);
      if (inner === undefined) return path;
      path.push(inner.key);
      node = inner.value;
    }
  }

  #problemAt(offset: number, key: string, message: string): Problem {
    const { line, col } = this.#lines.linePos(offset);
    return { file: this.file, line: Math.max(line, 1), column: Math.max(col, 1), key, message };
  }

  #offset(path: KeyPath, spot: Spot): number | undefined {
    const last = path.at(-1);
    if (last === undefined) return (this.doc.contents as Node | null)?.range?.[0];
    const parent = path.slice(0, -1).reduce<unknown>((node, key) => this.#child(node, key)?.value, this.doc.contents);
    const found = this.#child(parent, last);
    return spot === 'key' ? found?.from : (found?.start ?? found?.from);
  }

  #child(parent: unknown, key: string): Child | undefined {
    return children(this.#resolve(parent)).find((child) => child.key === key);
  }

  #resolve(node: unknown): unknown {
    return isAlias(node) ? node.resolve(this.doc) : node;
  }
}

/** One entry of a mapping or list: its key, its value, and the offsets of both. */
interface Child {
  readonly key: string;
  readonly value: unknown;
  /** Where the key begins; for an item of a list, the item. */
  readonly from: number;
  /** Where the value begins, where there is one in the text. */
  readonly start: number | undefined;
  readonly to: number;
}

function children(node: unknown): Child[] {
  if (isMap(node)) return node.items.map(entryOf);
  if (isSeq(node)) return node.items.map((item, index) => childOf(String(index), item, undefined));
  return [];
}

function entryOf({ key, value }: Pair): Child {
  return childOf(isScalar(key) ? String(key.value) : '?', value, (key as Node | null)?.range ?? undefined);
}

function childOf(key: string, value: unknown, keyRange: readonly number[] | undefined): Child {
  const range = (value as Node | null)?.range ?? undefined;
  const start = range?.[0];
  return { key, value, from: keyRange?.[0] ?? start ?? 0, start, to: range?.[2] ?? keyRange?.[2] ?? 0 };
}
