/** What a modern upstream says during one call, in the words of the legacy era. */
import type { Refusal } from '../../errors.js';
import { memberAt, rawText } from '../../wire/json.js';
import { idKey, type Notification, type ReadResult, type Request } from '../../wire/jsonrpc.js';
import { mapError, mapResult, type Answer } from './map-answer.js';
import type { InputRequired } from './map-input.js';
import { upstreamId } from './map-request.js';
import type { ClientView } from './map-result.js';

/** What becomes of one message. */
export type Mapped =
  /** Goes to the client, ahead of the answer. */
  | { readonly kind: 'event'; readonly bytes: Buffer }
  /** The answer of the call, or why the client cannot be given it. */
  | Answer
  | Refusal
  /** The client is to be asked, and the call sent again. */
  | InputRequired
  /** Not for the client; `why` for the log. */
  | { readonly kind: 'nothing'; readonly why: string };

/** Maps one message that came for `request`, which went up as `sent`: itself, or a retry of it. Pure. */
export function mapMessage(message: ReadResult, request: Request, view: ClientView, sent: Request = request): Mapped {
  switch (message.kind) {
    case 'notification':
      return isForCaller(message, request)
        ? { kind: 'event', bytes: message.bytes }
        : nothing('progress with a token that the call does not have');
    case 'response':
      return isAnswerTo(sent, message.id)
        ? mapResult(message, request, view)
        : nothing('a response to another request');
    case 'error':
      return isAnswerTo(sent, message.id) ? mapError(message, request) : nothing('an error of another request');
    case 'request':
      // Nobody would answer it (2026-07-28, streamable-http "Receiving Messages": servers send none).
      return nothing('a request from the server');
    case 'batch':
      return nothing('a batch');
    case 'malformed':
      return nothing(message.detail);
  }
}

/** An error without an id can be for no other: each request is alone on its connection. */
function isAnswerTo(request: Request, id: string | undefined): boolean {
  return id === undefined || idKey(id) === idKey(upstreamId(request.id));
}

/** Progress only with the caller's own token, value and type (2025-11-25, basic/utilities/progress). */
function isForCaller({ method, bytes, params }: Notification, request: Request): boolean {
  if (method !== 'notifications/progress') return true;
  const own = request.meta && memberAt(request.bytes, request.meta, ['progressToken'])?.value;
  const given = params && memberAt(bytes, params, ['progressToken'])?.value;
  if (own === undefined || given === undefined) return false;
  return idKey(rawText(bytes, given)) === idKey(rawText(request.bytes, own));
}

function nothing(why: string): Mapped {
  return { kind: 'nothing', why };
}
