/** Durations and sizes as people write them. */

const milliseconds = new Map([
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
  ['ms', 1],
]);

const durationPart = /(\d+(?:\.\d+)?) ?(h|ms|m|s)/g;
const wholeDuration = /^\d+(?:\.\d+)? ?(?:h|ms|m|s)(?: ?\d+(?:\.\d+)? ?(?:h|ms|m|s))*$/;

/** The longest wait of a Node timer, in ms: beyond it a timer fires at once. */
export const longestDuration = 2 ** 31 - 1;

/**
 * `2s`, `500ms`, `1.5h`, `1h30m`: larger units first, each once. Returns whole milliseconds, or undefined where the
 * text is no duration.
 */
export function parseDuration(text: string): number | undefined {
  if (!wholeDuration.test(text)) return undefined;
  let total = 0;
  let smallest = Infinity;
  for (const [, amount, unit] of text.matchAll(durationPart)) {
    const size = milliseconds.get(unit ?? '') ?? 0;
    if (size >= smallest) return undefined;
    smallest = size;
    total += Number(amount) * size;
  }
  return Math.round(total);
}

/** Writes milliseconds so that `parseDuration` reads them again: `1h30m`. */
export function formatDuration(duration: number): string {
  let rest = duration;
  let text = '';
  for (const [unit, size] of milliseconds) {
    const amount = Math.floor(rest / size);
    if (amount > 0) text += `${amount}${unit}`;
    rest -= amount * size;
  }
  return text === '' ? '0ms' : text;
}

/** Units of 1024 and of 1000, the largest of each first. */
const bytes = new Map([
  ['GiB', 2 ** 30],
  ['MiB', 2 ** 20],
  ['KiB', 2 ** 10],
  ['GB', 1e9],
  ['MB', 1e6],
  ['kB', 1e3],
  ['B', 1],
]);
const anyCase = new Map([...bytes].map(([unit, each]) => [unit.toLowerCase(), each]));

const size = /^(\d+(?:\.\d+)?) ?([KMG]i?B|B)?$/i;

/** `4MiB`, `4MB`, `512KiB`, `512 kB`, `1000`, or a number of bytes. Returns whole bytes, or undefined. */
export function parseSize(value: string | number): number | undefined {
  const [, amount, unit = 'b'] = size.exec(String(value)) ?? [];
  if (amount === undefined) return undefined;
  const total = Math.round(Number(amount) * (anyCase.get(unit.toLowerCase()) ?? NaN));
  return Number.isSafeInteger(total) ? total : undefined;
}

/** Writes bytes in the largest unit that needs no fraction, so that `parseSize` reads them again: `4MiB`. */
export function formatSize(total: number): string {
  for (const [unit, each] of bytes) {
    if (total >= each && total % each === 0) return `${total / each}${unit}`;
  }
  return `${total}B`;
}
