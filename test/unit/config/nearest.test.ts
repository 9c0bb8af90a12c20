import t from 'tap';
import { nearest } from '../../../src/config/nearest.js';

const known = ['listen', 'upstreams', 'log'];

const rows: [string, string | undefined][] = [
  ['lisen', 'listen'],
  ['LISTEN', 'listen'],
  ['upstream', 'upstreams'],
  ['logs', 'log'],
  ['telemetry', undefined],
  ['', undefined],
];
for (const [word, expected] of rows) t.equal(nearest(word, known), expected, word);
t.equal(nearest('anything', []), undefined);
