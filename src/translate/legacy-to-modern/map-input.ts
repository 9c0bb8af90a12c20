/** What a modern server asks of its caller in place of an answer (2026-07-28, basic/patterns/mrtr). */
import { refuse, type Refusal } from '../../errors.js';
import {
  applySplices,
  editObject,
  kindOf,
  memberAt,
  objectMembers,
  rawText,
  stringValue,
  type Member,
  type Span,
} from '../../wire/json.js';
import { readMessage, type Request, type Response } from '../../wire/jsonrpc.js';
import { quote } from './quote.js';

/** The requests that a server may make of its caller. */
const inputMethods = ['elicitation/create', 'sampling/createMessage', 'roots/list'] as const;
export type InputMethod = (typeof inputMethods)[number];

/** One entry of `inputRequests`. */
export interface Question {
  /** Its key, as raw JSON: goes back exactly as it came. */
  readonly key: string;
  readonly method: InputMethod;
  /** Raw JSON, as it came. */
  readonly params: string | undefined;
}

/** A result that asks for input. */
export interface InputRequired {
  readonly kind: 'input';
  /** In the upstream's order; may be none, where there is a state. */
  readonly questions: readonly Question[];
  /** Raw JSON, as it came; no business of ours. */
  readonly requestState: string | undefined;
}

/** The requests that may be answered so (mrtr, "Supported Requests"). */
const mayAsk: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read']);

/** Reads an InputRequiredResult that came for `request`, or says why it is none. */
export function readInputRequired({ bytes, result }: Response, request: Request): InputRequired | Refusal {
  if (!mayAsk.has(request.method)) return unintelligible(`${quote(request.method)} was answered by asking for input`);
  const requests = memberAt(bytes, result, ['inputRequests'])?.value;
  const state = memberAt(bytes, result, ['requestState'])?.value;
  const questions = requests === undefined ? [] : readQuestions(bytes, requests);
  if (typeof questions === 'string') return unintelligible(questions);
  if (questions.length === 0 && state === undefined) return unintelligible('it asks for input, and for nothing');
  return { kind: 'input', questions, requestState: state && rawText(bytes, state) };
}

function unintelligible(detail: string): Refusal {
  return refuse('upstream-unintelligible', { detail });
}

/** The entries in order; a string says what is wrong with them. */
function readQuestions(bytes: Buffer, requests: Span): Question[] | string {
  const kind = kindOf(bytes, requests);
  if (kind === 'null') return [];
  if (kind !== 'object') return `inputRequests is not an object but ${kind}`;
  const members = objectMembers(bytes, requests);
  // Two answers under one key would be one too few.
  if (hasTwin(members)) return 'a key of inputRequests stands twice';
  const questions: Question[] = [];
  for (const member of members) {
    const question = readQuestion(bytes, member);
    if (typeof question === 'string') return question;
    questions.push(question);
  }
  return questions;
}

function readQuestion(bytes: Buffer, { keySpan, value }: Member): Question | string {
  const named = memberAt(bytes, value, ['method'])?.value;
  const text = named && kindOf(bytes, named) === 'string' ? stringValue(bytes, named) : '';
  const method = inputMethods.find((known) => known === text);
  if (method === undefined) return `it asks for ${quote(text)}`;
  const params = memberAt(bytes, value, ['params'])?.value;
  const kind = params === undefined ? 'null' : kindOf(bytes, params);
  if (kind !== 'null' && kind !== 'object') return `the params of ${method} are not an object but ${kind}`;
  const question = { key: rawText(bytes, keySpan), method };
  if (params === undefined || kind === 'null') return { ...question, params: undefined };
  // Of two modes the client could see the other one, which it may not have declared.
  if (hasTwin(objectMembers(bytes, params))) return `a key of the params of ${method} stands twice`;
  return { ...question, params: rawText(bytes, params) };
}

function hasTwin(members: readonly Member[]): boolean {
  return new Set(members.map(({ key }) => key)).size < members.length;
}

/**
 * `request` once more, under the id `id`, with the client's answers, in the order of the questions, and the state. What
 * a round does not have, its retry does not have either (mrtr, "Client Requirements" 2). Undefined where the answers
 * are nested too deep for a message.
 */
export function retryOf(
  { bytes, root, params }: Request,
  id: string,
  { questions, requestState }: InputRequired,
  answers: readonly string[],
): Request | undefined {
  const set: [key: string, json: string][] = [];
  if (questions.length > 0)
    set.push(['inputResponses', `{${questions.map(({ key }, at) => `${key}:${answers[at]}`).join(',')}}`]);
  if (requestState !== undefined) set.push(['requestState', requestState]);
  const splices =
    params === undefined
      ? editObject(bytes, root, {
          set: [
            ['id', id],
            ['params', `{${set.map(([key, json]) => `"${key}":${json}`).join(',')}}`],
          ],
        })
      : [
          ...editObject(bytes, root, { set: [['id', id]] }),
          ...editObject(bytes, params, { set, remove: ['inputResponses', 'requestState'] }),
        ];
  const retry = readMessage(applySplices(bytes.subarray(0, root.end), splices).subarray(root.start));
  return retry.kind === 'request' ? retry : undefined;
}
