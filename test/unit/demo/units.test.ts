import t from 'tap';
import { convert, quantities, units, unitsOf } from '../../../src/demo/units.js';

const known: [number, string, number, string][] = [
  [26.2, 'mi', 42.1648128, 'km'],
  [1, 'in', 2.54, 'cm'],
  [100, 'C', 212, 'F'],
  [-40, 'F', -40, 'C'],
  [0, 'K', -459.67, 'F'],
  [1, 'lb', 16, 'oz'],
  [2, 'gal', 7.570823568, 'l'],
];

t.test('converts both ways', async (t) => {
  for (const [a, from, b, to] of known) {
    t.equal(convert(a, from, to), b, `${a} ${from} is ${b} ${to}`);
    t.equal(convert(b, to, from), a, `${b} ${to} is ${a} ${from}`);
  }
});

t.test('refuses what cannot be converted', async (t) => {
  t.throws(() => convert(1, 'mi', 'kg'), /mi measures length, kg measures mass/);
  t.throws(() => convert(1, 'parsec', 'm'), /unknown unit "parsec"; known: mm, /);
});

t.test('every unit belongs to one listed quantity', async (t) => {
  t.same(quantities.flatMap(unitsOf), [...units.keys()]);
  t.same(unitsOf('charm'), []);
});
