/** Every generation of the official SDK over Streamable HTTP, to a server of either era. */
import t from 'tap';
import { pairs } from './bench.js';
import { tryGenerations } from './old-clients.js';

for (const pair of pairs.filter(({ client }) => client === 'legacy'))
  t.test(pair.name, (t) => tryGenerations(t, pair, 'Streamable HTTP'));
