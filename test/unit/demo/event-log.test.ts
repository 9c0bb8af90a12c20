import t from 'tap';
import { EventLog } from '../../../src/demo/event-log.js';

const message = (n: number) => ({ jsonrpc: '2.0' as const, method: 'notifications/message', params: { n } });

async function replayed(log: EventLog, after: string): Promise<{ stream: string; sent: [string, unknown][] }> {
  const sent: [string, unknown][] = [];
  const stream = await log.replayEventsAfter(after, { send: async (id, m) => void sent.push([id, m]) });
  return { stream, sent };
}

t.test('replays what followed on the same stream, in order', async (t) => {
  const log = new EventLog();
  // The transport stores the priming event of a stream as an empty message.
  const primed = await log.storeEvent('a', {} as never);
  const a1 = await log.storeEvent('a', message(1));
  await log.storeEvent('b', message(2));
  const a3 = await log.storeEvent('a', message(3));

  t.same(await replayed(log, primed), {
    stream: 'a',
    sent: [
      [a1, message(1)],
      [a3, message(3)],
    ],
  });
  t.same(await replayed(log, a3), { stream: 'a', sent: [] });
  t.equal(await log.getStreamIdForEventId(a1), 'a');
  t.equal(await log.getStreamIdForEventId('nobody'), undefined);
});

t.test('forgets the oldest events, and says so', async (t) => {
  const log = new EventLog();
  const first = await log.storeEvent('a', message(0));
  for (let n = 1; n <= 1_000; n++) await log.storeEvent('a', message(n));
  await t.rejects(replayed(log, first), /unknown event/);
});
