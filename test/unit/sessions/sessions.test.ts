import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { RefusalError } from '../../../src/errors.js';
import type { TranslatedSession } from '../../../src/sessions/session.js';
import { Sessions, type Opening } from '../../../src/sessions/sessions.js';
import { MemoryStore } from '../../../src/sessions/store.js';

const claim = { owner: 'ada', upstream: 'weather' };
const opening: Opening = {
  ...claim,
  revision: '2025-11-25',
  clientInfo: '{"name":"desk"}',
  clientCapabilities: '{}',
  listChanges: ['toolsListChanged'],
};

/** Sessions, and what they told the metrics. */
function start(t: Test, limits: { sessions?: number; sessionIdle?: number; sessionAge?: number } = {}) {
  const told: string[] = [];
  const store = new MemoryStore();
  const sessions = new Sessions({
    store,
    limits: { sessions: 100, sessionIdle: 60_000, sessionAge: 60_000, ...limits },
    recorder: {
      sessionOpened: (...facts) => void told.push(`opened ${facts.join(' ')}`),
      sessionEnded: (...facts) => void told.push(`ended ${facts.join(' ')}`),
    },
  });
  t.teardown(() => sessions.close());
  return { sessions, store, told };
}

/** Puts something under way into a session, and says how it was ended. */
function busy(session: Pick<TranslatedSession, 'inflight'>, key = '1'): string[] {
  const ends: string[] = [];
  session.inflight.set(key, { end: (why) => void ends.push(why) });
  return ends;
}

const full = (error: unknown): boolean => error instanceof RefusalError && error.refusal.cell === 'sessions-full';

t.test('opens, finds and ends', async (t) => {
  const { sessions, told } = start(t);
  const { id } = await sessions.open(opening);
  t.match(await sessions.find(id, claim), { kind: 'translated', id, ...opening, logLevel: undefined });
  await sessions.end({ id, upstream: 'weather' }, 'deleted');
  t.equal(await sessions.find(id, claim), undefined);
  await sessions.end({ id, upstream: 'weather' }, 'deleted');
  t.same(told, ['opened weather translated', 'ended weather translated deleted'], 'each once');
});

t.test('ids are visible ASCII, long and never the same', async (t) => {
  const { sessions } = start(t, { sessions: 1_000 });
  const ids = await Promise.all(Array.from({ length: 500 }, async () => (await sessions.open(opening)).id));
  t.equal(new Set(ids).size, 500);
  for (const id of ids) if (!/^[\x21-\x7e]{22,}$/.test(id)) t.fail(id); // 22 characters of base64url hold 128 bits
});

t.test('a session exists for its owner and at its upstream only', async (t) => {
  const { sessions } = start(t);
  const { id } = await sessions.open(opening);
  for (const [name, other] of Object.entries({
    'another owner': { ...claim, owner: 'bob' },
    nobody: { ...claim, owner: 'anonymous' },
    'another upstream': { ...claim, upstream: 'news' },
  })) {
    t.equal(await sessions.find(id, other), undefined, name);
  }
  t.ok(await sessions.find(id, claim), 'and is none the worse for it');
  for (const odd of ['', '__proto__', 'constructor', `${id} `, id.slice(1)])
    t.equal(await sessions.find(odd, claim), undefined);
});

t.test('ending a session ends what is under way in it', async (t) => {
  const { sessions } = start(t);
  const session = await sessions.open(opening);
  const ends = [busy(session, '1'), busy(session, '"1"')];
  await sessions.end(session, 'deleted');
  t.same(ends, [['session-ended'], ['session-ended']]);
});

t.test('holds no more sessions than it may, whoever asks at once', async (t) => {
  const { sessions, store } = start(t, { sessions: 3 });
  const opened = await Promise.allSettled(Array.from({ length: 10 }, () => sessions.open(opening)));
  t.equal(opened.filter(({ status }) => status === 'fulfilled').length, 3);
  t.ok(opened.every((one) => one.status === 'fulfilled' || full(one.reason)));
  t.equal(await store.size(), 3);
  await t.rejects(sessions.ensureRoom(), RefusalError);
  const [first] = opened;
  if (first?.status === 'fulfilled') await sessions.end(first.value, 'deleted');
  await sessions.ensureRoom();
  await sessions.open(opening);
  t.equal(await store.size(), 3, 'a place that became free is given away again');
});

t.test('a session of the upstream’s own', async (t) => {
  const { sessions, told } = start(t);
  await sessions.adopt('up-1', claim);
  await sessions.adopt('up-1', { ...claim, upstream: 'news' });
  const session = await sessions.find('up-1', claim);
  t.match(session, { kind: 'forwarded', id: 'up-1', revision: undefined });
  const ends = session && busy(session);

  await sessions.adopt('up-1', { ...claim, owner: 'bob' });
  t.same(ends, ['session-ended'], 'an id that is handed out again has a new holder');
  t.equal(await sessions.find('up-1', claim), undefined);
  t.ok(await sessions.find('up-1', { ...claim, owner: 'bob' }));
  t.same(told.slice(2), ['ended weather forwarded upstream-lost', 'opened weather forwarded']);
});

t.test('what was changed is kept; a session that has ended does not come back', async (t) => {
  const { sessions, store } = start(t);
  const session = await sessions.open(opening);
  session.logLevel = '"debug"';
  await sessions.keep(session);
  t.match(await sessions.find(session.id, claim), { logLevel: '"debug"' });
  await sessions.end(session, 'deleted');
  await sessions.keep(session);
  t.equal(await store.size(), 0);
});

t.test('idle sessions end by themselves, used and busy ones do not', async (t) => {
  const { sessions, told } = start(t, { sessionIdle: 150 });
  const idle = await sessions.open(opening);
  const used = await sessions.open(opening);
  const atWork = await sessions.open(opening);
  busy(atWork);
  for (let n = 0; n < 10; n++) {
    await sleep(40);
    await sessions.find(used.id, claim);
  }
  t.equal(await sessions.find(idle.id, claim), undefined);
  t.ok(await sessions.find(used.id, claim));
  t.ok(await sessions.find(atWork.id, claim));
  t.same(told.slice(3), ['ended weather translated idle']);
});

t.test('old sessions end by themselves, used or busy', async (t) => {
  const { sessions, told } = start(t, { sessionAge: 200 });
  const old = await sessions.open(opening);
  const ends = busy(old);
  await sleep(120);
  const young = await sessions.open(opening);
  t.ok(await sessions.find(old.id, claim), 'not yet');
  await sleep(150);
  await sessions.sweep();
  t.equal(await sessions.find(old.id, claim), undefined);
  t.same(ends, ['session-ended']);
  t.ok(await sessions.find(young.id, claim));
  t.same(told.slice(2), ['ended weather translated aged']);
});

t.test('closing ends every session and what is under way', async (t) => {
  const { sessions, store, told } = start(t);
  const session = await sessions.open(opening);
  await sessions.adopt('up-1', claim);
  const ends = busy(session);
  await sessions.close();
  t.same(ends, ['session-ended']);
  t.equal(await store.size(), 0);
  t.same(told.slice(2), ['ended weather translated shutdown', 'ended weather forwarded shutdown']);
});
