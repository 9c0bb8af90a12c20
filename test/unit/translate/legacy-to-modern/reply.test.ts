/** What only time shows of an answer: a quiet stream that says so. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import t from 'tap';
import { Exchange } from '../../../../src/edge/exchange.js';
import type { Recorder } from '../../../../src/metrics/record.js';
import { Reply } from '../../../../src/translate/legacy-to-modern/reply.js';
import { HttpUpstream } from '../../../../src/upstreams/http.js';
import { upstreamConfig } from '../../../upstreams/scripted-config.js';
import { fetchRaw } from '../../passthrough/gateway.js';

t.test('a quiet stream is kept alive by comments, a busy or ended one is not', async (t) => {
  const upstream = new HttpUpstream(upstreamConfig(new URL('http://127.0.0.1:1')));
  let streams = 0;
  const recorder = {
    exchangeEnded: () => undefined,
    streamOpened: () => {
      streams++;
      return () => void streams--;
    },
  } as unknown as Recorder;
  const server = createServer((request, response) => {
    const exchange = new Exchange({
      request,
      response,
      upstream,
      requestId: '1',
      recorder,
      log: pino({ level: 'silent' }),
      always: {},
      rewriteChallenge: (value) => value,
    });
    const reply = new Reply(exchange, 100);
    void (async () => {
      reply.open();
      for (let n = 0; n < 4; n++) {
        await sleep(50);
        await reply.event(Buffer.from(`${n}`));
      }
      t.equal(streams, 1);
      await sleep(350);
      reply.answer(Buffer.from('{}'));
      await sleep(250);
      reply.answer(Buffer.from('again'));
      await reply.event(Buffer.from('again'));
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(async () => {
    server.close();
    server.closeAllConnections();
    await upstream.close();
  });
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  const { body } = await fetchRaw(url, '{}');
  t.match(body.toString(), /^data: 0\n\ndata: 1\n\ndata: 2\n\ndata: 3\n\n(: \n\n){2,3}data: \{\}\n\n$/);
  await sleep(300);
  t.equal(streams, 0);
});
