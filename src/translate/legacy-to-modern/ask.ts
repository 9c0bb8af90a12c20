/** Requests of a server to its client: sent on the stream of a call, answered by a POST of the same session. */
import { randomUUID } from 'node:crypto';
import { refuse, RefusalError } from '../../errors.js';
import type { TranslatedSession } from '../../sessions/session.js';
import { within } from '../../upstreams/deadline.js';
import { kindOf, memberAt, rawText, stringValue } from '../../wire/json.js';
import { idKey, type ErrorResponse, type Response } from '../../wire/jsonrpc.js';
import type { Question } from './map-input.js';
import { notificationOf, requestOf } from './own-messages.js';
import { quote } from './quote.js';
import type { Reply } from './reply.js';

/** Whom to ask, and for how long. */
export interface Asking {
  readonly session: Pick<TranslatedSession, 'asked'>;
  readonly reply: Pick<Reply, 'event'>;
  /** Aborts when the call ends. */
  readonly signal: AbortSignal;
  /** Until the last answer, in milliseconds. */
  readonly patience: number;
}

/**
 * Asks all `questions` at once and resolves with the results, raw JSON, in their order. Rejects with the reason of the
 * signal, or with a RefusalError: `input-failed` at the first answer that is an error, `input-timeout`. Nothing waits
 * for an answer any longer then, and the client is told which ones need no answer (2025-11-25, basic/utilities/cancellation).
 */
export async function ask(questions: readonly Question[], asking: Asking): Promise<string[]> {
  const { session, reply, signal, patience } = asking;
  const open = questions.map((question) => ({ question, id: JSON.stringify(randomUUID()) }));
  const sent: string[] = [];
  // They are awaited from the start: the first may be answered, or fail, before a slow client has taken the last.
  const send = async (inner: AbortSignal): Promise<void> => {
    for (const { id, question } of open) {
      if (!session.asked.has(id)) return;
      sent.push(id);
      await reply.event(requestOf(id, question.method, question.params), inner);
    }
  };
  const asked = [...new Set(questions.map(({ method }) => method))].join(', ');
  try {
    return await within({ ms: patience, signal, asked, cell: 'input-timeout' }, async (inner) => {
      const answers = Promise.all(open.map(({ id, question }) => answerTo(id, question, session, inner)));
      const [results] = await Promise.all([answers, send(inner)]);
      return results;
    });
  } catch (error) {
    const unanswered = sent.filter((id) => session.asked.has(id));
    for (const { id } of open) session.asked.delete(id);
    if (!signal.aborted) for (const id of unanswered) await reply.event(withdrawal(id), signal);
    throw error;
  }
}

/** Gives an answer of the client to whoever waits for it in this session; one that nobody waits for is ignored. */
export function takeAnswer({ asked }: Pick<TranslatedSession, 'asked'>, answer: Response | ErrorResponse): void {
  if (answer.id === undefined) return;
  const key = idKey(answer.id);
  const take = asked.get(key);
  asked.delete(key);
  take?.(answer);
}

/** The result of the answer to the request `id`, raw JSON. */
function answerTo(
  id: string,
  question: Question,
  { asked }: Pick<TranslatedSession, 'asked'>,
  signal: AbortSignal,
): Promise<string> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    asked.set(id, (answer) => {
      if (answer.kind === 'response') resolve(rawText(answer.bytes, answer.result));
      else reject(new RefusalError(refuse('input-failed', { detail: `${question.method}: ${describe(answer)}` })));
    });
  });
}

/** Code and message of the client's error. */
function describe({ bytes, error }: ErrorResponse): string {
  const code = memberAt(bytes, error, ['code'])?.value;
  const message = memberAt(bytes, error, ['message'])?.value;
  const text = message && kindOf(bytes, message) === 'string' ? stringValue(bytes, message) : '';
  return `${code ? rawText(bytes, code).slice(0, 20) : 'error'} ${quote(text)}`;
}

function withdrawal(id: string): Buffer {
  return notificationOf('notifications/cancelled', `{"requestId":${id},"reason":"no longer needed"}`);
}
