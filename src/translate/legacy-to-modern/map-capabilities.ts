/** What a client must have declared to be asked for input (2025-11-25, client/elicitation, client/sampling, client/roots). */
import type { TranslatedSession } from '../../sessions/session.js';
import { kindOf, memberAt, rawText, stringValue } from '../../wire/json.js';
import type { LegacyRevision } from '../../wire/meta-keys.js';
import type { InputMethod, Question } from './map-input.js';

/** A capability, as a path, and the first revision that defines it. */
interface Need {
  readonly capability: readonly string[];
  readonly since: LegacyRevision;
}

/** What each request needs, by its parameters. */
const needs: Readonly<Record<InputMethod, (params: Buffer) => Need>> = {
  'roots/list': () => ({ capability: ['roots'], since: '2024-11-05' }),
  'sampling/createMessage': (params) =>
    has(params, 'tools') || has(params, 'toolChoice')
      ? { capability: ['sampling', 'tools'], since: '2025-11-25' }
      : { capability: ['sampling'], since: '2024-11-05' },
  'elicitation/create': (params) => {
    const mode = modeOf(params);
    return mode === 'form'
      ? { capability: ['elicitation'], since: '2025-06-18' }
      : { capability: ['elicitation', mode], since: '2025-11-25' };
  },
};

/** The capability, dotted, that this question needs and the client of the session does not have; undefined if it may be asked. */
export function missingCapability(
  { method, params = '{}' }: Question,
  { clientCapabilities, revision }: Pick<TranslatedSession, 'clientCapabilities' | 'revision'>,
): string | undefined {
  const { capability, since } = needs[method](Buffer.from(params));
  const declared = Buffer.from(clientCapabilities);
  if (revision < since || !isObject(declared, capability)) return capability.join('.');
  const isForm = method === 'elicitation/create' && capability.length === 1;
  return isForm && onlyUrl(declared) ? 'elicitation.form' : undefined;
}

/** `elicitation: {}` means form; `{"url": {}}` alone does not (2025-11-25, client/elicitation "Capabilities"). */
function onlyUrl(declared: Buffer): boolean {
  return isObject(declared, ['elicitation', 'url']) && !isObject(declared, ['elicitation', 'form']);
}

function isObject(bytes: Buffer, path: readonly string[]): boolean {
  const value = memberAt(bytes, whole(bytes), path)?.value;
  return value !== undefined && kindOf(bytes, value) === 'object';
}

function has(params: Buffer, key: string): boolean {
  return memberAt(params, whole(params), [key]) !== undefined;
}

/** The mode of an elicitation; without one it is a form. */
export function modeOf(params: Buffer): string {
  const mode = memberAt(params, whole(params), ['mode'])?.value;
  if (mode === undefined) return 'form';
  return kindOf(params, mode) === 'string' ? stringValue(params, mode) : rawText(params, mode);
}

function whole(bytes: Buffer): { start: number; end: number } {
  return { start: 0, end: bytes.length };
}
