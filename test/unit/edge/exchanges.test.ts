import t from 'tap';
import type { Exchange } from '../../../src/edge/exchange.js';
import { Exchanges } from '../../../src/edge/exchanges.js';

t.test('holds what was added and not taken out, in whatever order', async (t) => {
  const make = (name: string): Exchange => ({ requestId: name, place: -1 }) as Exchange;
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map(make) as [Exchange, Exchange, Exchange, Exchange];
  const exchanges = new Exchanges();
  const names = (): string[] => [...exchanges].map(({ requestId }) => requestId).sort();
  for (const one of [a, b, c]) exchanges.add(one);
  t.same(names(), ['a', 'b', 'c']);
  exchanges.delete(a); // the first, whose place the last one takes
  t.same(names(), ['b', 'c']);
  exchanges.delete(c); // the one that was moved
  exchanges.add(d);
  t.same(names(), ['b', 'd']);
  for (const one of exchanges) exchanges.delete(one); // while they are visited
  t.equal(exchanges.size, 0);
  t.same(names(), []);
});
