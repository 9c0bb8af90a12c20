import t from 'tap';
import { Pending } from '../../../../src/translate/legacy-to-modern/pending.js';

const change = (subject: string, size = 10) => ({ kind: 'updated' as const, subject, bytes: Buffer.alloc(size) });

t.test('gives back in order, of equal ones the latest', async (t) => {
  const pending = new Pending();
  for (const subject of ['a', 'b', 'a', 'c']) t.equal(pending.add(subject, change(subject)), 0);
  t.same(
    [1, 2, 3, 4].map(() => pending.take()?.subject),
    ['b', 'a', 'c', undefined],
  );
});

t.test('is bounded in number and in bytes; the oldest goes', async (t) => {
  const many = new Pending();
  for (let at = 0; at < 1_000; at++) t.equal(many.add(`${at}`, change(`${at}`)), 0);
  t.equal(many.add('more', change('more')), 1);
  t.equal(many.take()?.subject, '1');

  const large = new Pending();
  t.equal(large.add('a', change('a', 200_000)), 0);
  t.equal(large.add('a', change('a', 200_000)), 0, 'in its own place');
  t.equal(large.add('b', change('b', 200_000)), 1);
  t.equal(large.take()?.subject, 'b');
  t.equal(large.add('c', change('c', 300_000)), 1, 'one that is too large never waits');
  t.equal(large.take(), undefined);
  t.equal(large.add('d', change('d', 200_000)), 0, 'what was taken no longer counts');
});
