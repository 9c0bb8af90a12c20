/** Messages for tests, read from their text as the gateway reads them from bytes. */
import { readMessage, type Message } from '../../../../src/wire/jsonrpc.js';

/** Reads `text` as a message of this kind; throws where it is another one. */
export function read<K extends Message['kind']>(kind: K, text: string): Message & { kind: K } {
  const message = readMessage(Buffer.from(text));
  if (message.kind !== kind) throw new Error(`a ${message.kind}, not a ${kind}: ${text}`);
  return message as Message & { kind: K };
}
