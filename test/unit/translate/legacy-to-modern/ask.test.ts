import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { ask, takeAnswer } from '../../../../src/translate/legacy-to-modern/ask.js';
import type { TranslatedSession } from '../../../../src/sessions/session.js';
import { read } from './messages.js';

const question = (key: string) => ({ key: `"${key}"`, method: 'roots/list' as const, params: undefined });

/** A session that asks two questions; `onSent` hears of each message to the client with its id. */
function begin(patience: number, onSent: (id: string, session: Pick<TranslatedSession, 'asked'>) => void) {
  const session: Pick<TranslatedSession, 'asked'> = { asked: new Map() };
  const ended = new AbortController();
  const sent: string[] = [];
  const reply = {
    event: async (message: Buffer) => {
      const { id, method } = JSON.parse(message.toString()) as { id?: string; method: string };
      sent.push(method);
      if (id !== undefined) onSent(id, session);
    },
  };
  const answers = ask([question('a'), question('b')], { session, reply, signal: ended.signal, patience });
  return { session, ended, sent, answers };
}

const answer = (session: Pick<TranslatedSession, 'asked'>, id: string, result = '{}'): void =>
  takeAnswer(session, read('response', `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`));

const reasonOf = (answers: Promise<unknown>): Promise<unknown> =>
  answers.then(
    () => 'it was answered',
    (error: unknown) => error,
  );

t.test('the answers come in the order of the questions, however early they are', async (t) => {
  let n = 0;
  const { session, answers } = begin(1_000, (id, session) => answer(session, id, `{"n":${n++}}`));
  t.same(await answers, ['{"n":0}', '{"n":1}']);
  t.equal(session.asked.size, 0);
});

t.test('an id in another spelling is the same id', async (t) => {
  const { answers } = begin(1_000, (id, session) => {
    const escaped = `"\\u${id.charCodeAt(0).toString(16).padStart(4, '0')}${id.slice(1)}"`;
    takeAnswer(session, read('response', `{"jsonrpc":"2.0","id":${escaped},"result":{}}`));
  });
  t.same(await answers, ['{}', '{}']);
});

t.test('nothing waits any longer once it is over', async (t) => {
  const error = (id: string) =>
    read('error', `{"jsonrpc":"2.0","id":"${id}","error":{"code":-32601,"message":"${'x'.repeat(500)}"}}`);
  const failing = begin(1_000, (id, session) => takeAnswer(session, error(id)));
  t.match(await reasonOf(failing.answers), {
    refusal: { cell: 'input-failed', detail: /^roots\/list: -32601 "x{100}…"$/ },
  });
  const late = begin(50, () => undefined);
  t.match(await reasonOf(late.answers), { refusal: { cell: 'input-timeout' } });
  t.same(late.sent, ['roots/list', 'roots/list', 'notifications/cancelled', 'notifications/cancelled']);
  const cancelled = begin(1_000, () => undefined);
  await sleep(10);
  t.equal(cancelled.session.asked.size, 2);
  cancelled.ended.abort(new Error('cancelled'));
  t.match(await reasonOf(cancelled.answers), { message: 'cancelled' });
  t.equal(cancelled.sent.length, 2, 'its stream is over');
  for (const { session } of [failing, late, cancelled]) t.equal(session.asked.size, 0);
});

t.test('what a slow client has not been asked yet is not asked once the call has failed', async (t) => {
  const session: Pick<TranslatedSession, 'asked'> = { asked: new Map() };
  const sent: { id?: string; method: string }[] = [];
  const taken: (() => void)[] = [];
  const reply = {
    event: (message: Buffer) => {
      sent.push(JSON.parse(message.toString()) as { id?: string; method: string });
      return new Promise<void>((resolve) => taken.push(resolve));
    },
  };
  const questions = ['a', 'b', 'c'].map(question);
  const reason = reasonOf(ask(questions, { session, reply, signal: new AbortController().signal, patience: 1_000 }));
  const pass = async (): Promise<void> => {
    taken.shift()?.();
    await sleep(5);
  };
  await pass(); // the first is taken, the second on its way
  const id = JSON.stringify(sent[0]?.id);
  takeAnswer(session, read('error', `{"jsonrpc":"2.0","id":${id},"error":{"code":-1,"message":"no"}}`));
  await sleep(5);
  await pass();
  await pass();
  t.match(await reason, { refusal: { cell: 'input-failed' } });
  t.same(
    sent.map(({ method }) => method),
    ['roots/list', 'roots/list', 'notifications/cancelled'],
  );
});

t.test('an answer to nothing is ignored', async (t) => {
  const session = { asked: new Map() };
  answer(session, '__proto__');
  takeAnswer(session, read('error', '{"jsonrpc":"2.0","error":{"code":1,"message":""}}'));
  t.equal(session.asked.size, 0);
});
