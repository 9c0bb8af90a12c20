import t from 'tap';
import { Twins } from '../../../../src/translate/legacy-to-modern/twins.js';

/** Which of these events, each of a stream and at a time, are told. */
function told(events: readonly (readonly [key: string, stream: 'old' | 'new', at: number])[]): boolean[] {
  const twins = new Twins<'old' | 'new'>();
  return events.map(([key, stream, at]) => twins.isNews(key, stream, at));
}

t.test('an event that comes on both streams is told once, whichever is first', async (t) => {
  t.same(told([['a', 'old', 0], ['a', 'new', 5]]), [true, false]); // prettier-ignore
  t.same(told([['a', 'new', 0], ['a', 'old', 90]]), [true, false]); // prettier-ignore
});

t.test('equal events that follow each other are as many as there were', async (t) => {
  t.same(told([['a', 'old', 0], ['a', 'old', 1], ['a', 'new', 2], ['a', 'new', 3]]), [true, true, false, false]); // prettier-ignore
  t.same(told([['a', 'old', 0], ['a', 'new', 1], ['a', 'new', 2], ['a', 'old', 3]]), [true, false, true, false]); // prettier-ignore
});

t.test('an event of one stream alone stays, and so does a later one of the other', async (t) => {
  t.same(told([['a', 'old', 0], ['b', 'new', 1], ['a', 'new', 101]]), [true, true, true]); // prettier-ignore
  t.same(told([['a', 'new', 0], ['a', 'new', 1]]), [true, true]); // prettier-ignore
});
