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
  const methods = [...new Set(questions.map(({ method }) => method))].join(', ');
  try {
    return await within({ ms: patience, signal, asked: methods, cell: 'input-timeout' }, async (inner) => {
      const answers = open.map(({ id, question }) => answerTo(id, question, session, inner));
      // At once, not in turn: the first may be answered, or fail, while a slow client takes the last.
      const sending = open.map(({ id, question }) =>
        reply.event(requestOf(id, question.method, question.params), inner),
      );
      const [results] = await Promise.all([Promise.all(answers), Promise.all(sending)]);
      return results;
    });
  } catch (error) {
    const unanswered = open.filter(({ id }) => session.asked.has(id));
    if (!signal.aborted) for (const { id } of unanswered) await reply.event(withdrawal(id), signal);
    throw error;
  } finally {
    for (const { id } of open) session.asked.delete(id);
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
