import fc from 'fast-check';
import t from 'tap';
import { formatDuration, formatSize, parseDuration, parseSize } from '../../../src/config/units.js';

void t.test('durations', async (t) => {
  const rows: [string, number | undefined][] = [
    ['2s', 2_000],
    ['500ms', 500],
    ['5m', 300_000],
    ['1h', 3_600_000],
    ['1h30m', 5_400_000],
    ['1h 30m', 5_400_000],
    ['1h30m5s7ms', 5_405_007],
    ['1.5s', 1_500],
    ['0.5 h', 1_800_000],
    ['0s', 0],
    ['30m1h', undefined], // the larger unit comes first
    ['1s1s', undefined],
    ['5', undefined],
    ['5 minutes', undefined],
    ['1d', undefined],
    ['-5s', undefined],
    ['5S', undefined],
    ['5s ', undefined],
    ['.5s', undefined],
    ['1e3s', undefined],
    ['s', undefined],
    ['', undefined],
  ];
  for (const [text, expected] of rows) t.equal(parseDuration(text), expected, JSON.stringify(text));
});

void t.test('sizes', async (t) => {
  const rows: [string | number, number | undefined][] = [
    ['4MiB', 4_194_304],
    ['4MB', 4_000_000],
    ['512KiB', 524_288],
    ['512kB', 512_000],
    ['512 KB', 512_000],
    ['1GiB', 1_073_741_824],
    ['1.5MiB', 1_572_864],
    ['100B', 100],
    ['100', 100],
    [65_536, 65_536],
    ['4mib', 4_194_304],
    ['4M', undefined],
    ['4Mbit', undefined],
    ['-1', undefined],
    [-1, undefined],
    ['MiB', undefined],
    ['', undefined],
    ['99999999999GiB', undefined], // no safe integer
  ];
  for (const [text, expected] of rows) t.equal(parseSize(text), expected, JSON.stringify(text));
});

void t.test('what is written is read again', async () => {
  fc.assert(fc.property(fc.nat({ max: 2 ** 31 - 1 }), (ms) => parseDuration(formatDuration(ms)) === ms));
  fc.assert(fc.property(fc.nat({ max: Number.MAX_SAFE_INTEGER }), (bytes) => parseSize(formatSize(bytes)) === bytes));
});

void t.test('the largest units that fit are written', async (t) => {
  t.equal(formatDuration(5_400_000), '1h30m');
  t.equal(formatDuration(1_500), '1s500ms');
  t.equal(formatDuration(0), '0ms');
  t.equal(formatSize(4_194_304), '4MiB');
  t.equal(formatSize(4_000_000), '4MB');
  t.equal(formatSize(1_001), '1001B');
});
