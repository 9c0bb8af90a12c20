/** JSON-RPC batches, which only revision 2025-03-26 has (2025-03-26, basic/transports "Sending Messages to the Server"). */
import type { Exchange } from '../../edge/exchange.js';
import { errorBody, refuse, RefusalError, type Cell, type Refusal } from '../../errors.js';
import { idKey, readMessageAt, type Batch, type Malformed, type Message, type Request } from '../../wire/jsonrpc.js';
import type { CallReply, Reply } from './reply.js';

/** A batch of more messages is refused (docs/errors.md, `batch-refused`). */
const mostMessages = 100;

/** What is done with the messages of a batch, one by one. */
export interface Handlers {
  /** Answers `reply`, or throws a RefusalError. */
  serve(request: Request, reply: CallReply): Promise<void>;
  /** Takes what is not answered. */
  take(message: Exclude<Message, Request>): void;
  /** Hears of an error that is no refusal. */
  failed(error: unknown): void;
}

/**
 * Serves each message of `batch` on its own, in their order and without waiting for one another; `whole` is the answer to
 * all. Throws a RefusalError (`batch-refused`) before anything is done.
 */
export async function serveBatch(exchange: Exchange, batch: Batch, whole: Reply, handlers: Handlers): Promise<void> {
  if (batch.elements.length > mostMessages) throw refusalOf(`it holds ${batch.elements.length}`);
  const messages = batch.elements.map((span) => readMessageAt(batch.bytes, span));
  const answered = messages.filter(isAnswered);
  checkIds(answered);
  const answers = new BatchReply(exchange, whole, answered.length);
  await Promise.all(
    messages.map(async (message) => {
      if (!isAnswered(message)) return handlers.take(message);
      const reply = answers.part(message.id);
      try {
        if (message.kind === 'malformed') reply.refuse(refuse(message.cell, { detail: message.detail }));
        else await handlers.serve(message, reply);
      } catch (error) {
        if (!(error instanceof RefusalError)) handlers.failed(error);
        const { refusal } = error instanceof RefusalError ? error : new RefusalError(refuse('internal'));
        reply.refuse(refusal);
      }
    }),
  );
  await answers.finish();
}

function isAnswered(message: Message | Malformed): message is Request | Malformed {
  return message.kind === 'request' || message.kind === 'malformed';
}

/** Two answers with one id could not be told apart. */
function checkIds(messages: readonly (Request | Malformed)[]): void {
  const seen = new Set<string>();
  for (const { id } of messages) {
    if (id === undefined) continue;
    if (seen.has(idKey(id))) throw refusalOf(`the id ${id.slice(0, 100)} stands twice`);
    seen.add(idKey(id));
  }
}

function refusalOf(detail: string): RefusalError {
  return new RefusalError(refuse('batch-refused', { detail }));
}

/** Refusals that are for the client's HTTP layer, where all of a batch has met the same. */
const ofTheWhole: ReadonlySet<Cell> = new Set<Cell>(['upstream-auth', 'upstream-forbidden']);

/**
 * The answer to a batch: one array, or an event for each answer as soon as there is a stream, because something had to be
 * said before the last of them or because the client reads nothing else.
 */
class BatchReply {
  readonly #exchange: Exchange;
  readonly #whole: Reply;
  readonly #count: number;
  readonly #refusals: Refusal[] = [];
  /** Answers that were not sent yet. The last one of all ends the stream. */
  readonly #answers: Buffer[] = [];
  #answered = 0;

  constructor(exchange: Exchange, whole: Reply, count: number) {
    this.#exchange = exchange;
    this.#whole = whole;
    this.#count = count;
  }

  /** The answer to the one request with this id. */
  part(id: string | undefined): CallReply {
    const whole = this.#whole;
    return {
      readsEvents: whole.readsEvents,
      open: () => {
        whole.open();
        this.#flush();
      },
      event: (message, signal) => {
        whole.open();
        this.#flush();
        return whole.event(message, signal);
      },
      answer: (message) => this.#take(message),
      refuse: (refusal) => {
        this.#exchange.settle('refused', refusal.cell);
        this.#refusals.push(refusal);
        this.#take(errorBody({ ...refusal, id: refusal.id ?? id }));
      },
      leaveUnanswered: () => this.#take(),
    };
  }

  /** Ends the answer, when all its parts have ended. */
  async finish(): Promise<void> {
    if (!this.#whole.readsJson && this.#answers.length > 0) this.#whole.open();
    const last = this.#answers.at(-1);
    const common = this.#commonRefusal();
    if (this.#whole.streaming) {
      await this.#send(this.#answers.splice(0, this.#answers.length - 1));
      if (last === undefined) this.#whole.leaveUnanswered();
      else this.#whole.answer(last);
    } else if (common !== undefined) this.#whole.refuse({ ...common, id: undefined });
    else if (last !== undefined) this.#whole.answer(arrayOf(this.#answers));
    else if (this.#count > 0) this.#whole.leaveUnanswered();
    else this.#exchange.end(202, {});
  }

  #take(answer?: Buffer): void {
    this.#answered++;
    if (answer !== undefined) this.#answers.push(answer);
    this.#flush();
  }

  /** Sends what is there once there is a stream, as long as more is to come. */
  #flush(): void {
    if (this.#whole.streaming && this.#answered < this.#count) void this.#send(this.#answers.splice(0));
  }

  async #send(answers: readonly Buffer[]): Promise<void> {
    for (const answer of answers) await this.#whole.event(answer);
  }

  /** What all parts were refused with, if that is for the whole exchange. */
  #commonRefusal(): Refusal | undefined {
    const [first] = this.#refusals;
    const common = this.#refusals.length === this.#count && this.#refusals.every(({ cell }) => cell === first?.cell);
    return common && first !== undefined && ofTheWhole.has(first.cell) ? first : undefined;
  }
}

function arrayOf(messages: readonly Buffer[]): Buffer {
  const comma = Buffer.from(',');
  const parts = messages.flatMap((message, at) => (at === 0 ? [message] : [comma, message]));
  return Buffer.concat([Buffer.from('['), ...parts, Buffer.from(']')]);
}
