/** The rounds of one call whose upstream asks for input before it answers (2026-07-28, basic/patterns/mrtr). */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Exchange } from '../../edge/exchange.js';
import { refuse, RefusalError, sentenceOf } from '../../errors.js';
import type { TranslatedSession } from '../../sessions/session.js';
import type { Request } from '../../wire/jsonrpc.js';
import type { TranslationContext } from '../types.js';
import { ask } from './ask.js';
import { missingCapability } from './map-capabilities.js';
import { retryOf, type InputRequired } from './map-input.js';
import { notificationOf, resultOf } from './own-messages.js';
import type { CallReply } from './reply.js';
import { UrlElicitations } from './url-elicitations.js';

/** A dialogue takes a few rounds; a server that wants more than these does not come to an end. */
const mostRounds = 16;

/**
 * How long to wait before a call is sent again that only waits for the upstream itself, in milliseconds: doubled each
 * time, so that the rounds last for minutes where someone is signing in elsewhere.
 */
const firstPause = 250;
const longestPause = 30_000;

/** The call that goes through the rounds. */
export interface Call {
  readonly exchange: Exchange;
  readonly session: TranslatedSession;
  /** As the client sent it. */
  readonly request: Request;
  readonly reply: CallReply;
  readonly context: TranslationContext;
  /** Aborts when the call ends. */
  readonly signal: AbortSignal;
}

/** The rounds of one call. State and answers of a round go into its retry and nowhere else. */
export class Rounds {
  readonly #call: Call;
  readonly #elicitations = new UrlElicitations();
  #rounds = 0;
  #pause = firstPause;

  constructor(call: Call) {
    this.#call = call;
  }

  /**
   * Gets the input from the client and resolves with the request to send next, or with undefined where the call was
   * answered instead: a tool fails for a client that lacks a capability. Rejects with a RefusalError (`input-…`), or
   * with what the signal says.
   */
  async next(input: InputRequired): Promise<Request | undefined> {
    const { exchange, request, context, signal } = this.#call;
    const { questions, requestState } = input;
    const facts = {
      round: ++this.#rounds,
      asks: questions.map(({ method }) => method),
      state: requestState !== undefined,
    };
    context.log.debug({ requestId: exchange.requestId, ...facts }, 'the upstream asks for input');
    if (this.#rounds > mostRounds) throw new RefusalError(refuse('input-endless', { detail: `${mostRounds} rounds` }));
    if (questions.length > 0 && this.#lacks(input)) return undefined;
    const answers = questions.length > 0 ? await this.#ask(input) : await this.#wait(signal);
    const retry = retryOf(request, JSON.stringify(randomUUID()), input, answers);
    if (retry === undefined) throw new RefusalError(refuse('input-failed', { detail: 'it is nested too deep' }));
    return retry;
  }

  /** The upstream has answered with a result: what the user was sent elsewhere for is done. */
  async end(): Promise<void> {
    await this.#complete([]);
  }

  /** Whether the client may not be asked; the call is answered then, or a RefusalError thrown. */
  #lacks({ questions }: InputRequired): boolean {
    const { exchange, session, request, reply } = this.#call;
    for (const question of questions) {
      const capability = missingCapability(question, session);
      if (capability === undefined) continue;
      const refusal = refuse('input-not-declared', { detail: `${question.method} needs the capability ${capability}` });
      if (request.method !== 'tools/call') throw new RefusalError(refusal);
      // A tool that fails is something that a model can read and act on (2025-11-25, server/tools "Error Handling").
      exchange.settle('refused', refusal.cell);
      const content = [{ type: 'text', text: sentenceOf(refusal) }];
      reply.answer(resultOf(request, JSON.stringify({ content, isError: true })));
      return true;
    }
    if (!reply.readsEvents) throw new RefusalError(refuse('input-needs-stream'));
    return false;
  }

  async #ask({ questions }: InputRequired): Promise<string[]> {
    const { session, reply, context, signal } = this.#call;
    this.#pause = firstPause;
    await this.#complete(questions);
    const identified = questions.map((question) => this.#elicitations.identify(question));
    const answers = await ask(identified, { session, reply, signal, patience: context.limits.input });
    identified.forEach((question, at) => this.#elicitations.answered(question, answers[at] as string));
    return answers;
  }

  async #wait(signal: AbortSignal): Promise<string[]> {
    await sleep(this.#pause, undefined, { signal });
    this.#pause = Math.min(this.#pause * 2, longestPause);
    return [];
  }

  /** Tells the client which elicitations are over, now that the upstream asks `next`. */
  async #complete(next: InputRequired['questions']): Promise<void> {
    const { reply, signal } = this.#call;
    for (const id of this.#elicitations.movedOn(next))
      await reply.event(notificationOf('notifications/elicitation/complete', `{"elicitationId":${id}}`), signal);
  }
}
