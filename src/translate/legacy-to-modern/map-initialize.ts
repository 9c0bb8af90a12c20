/** `initialize` answered from what `server/discover` said (2025-11-25 basic/lifecycle; 2026-07-28 server/discover). */
import {
  applySplices,
  editObject,
  kindOf,
  memberAt,
  objectMembers,
  rawText,
  type Span,
  type Splice,
} from '../../wire/json.js';
import { paramString, type Request } from '../../wire/jsonrpc.js';
import { isLegacyRevision, legacyRevisions, metaKeys, type LegacyRevision } from '../../wire/meta-keys.js';
import { definesCapability } from '../revisions/index.js';
import { withoutServerInfo } from './map-answer.js';

/** What a client says of itself; the last two as raw JSON. */
export interface Introduction {
  readonly revision: LegacyRevision;
  readonly clientInfo: string;
  readonly clientCapabilities: string;
}

/** Reads the parameters of `initialize`; a string says what is wrong with them. */
export function readIntroduction(request: Request): Introduction | string {
  const requested = paramString(request, 'protocolVersion');
  if (requested === undefined) return 'protocolVersion must be a string';
  const clientCapabilities = objectParam(request, 'capabilities');
  if (clientCapabilities === undefined) return 'capabilities must be an object';
  const clientInfo = objectParam(request, 'clientInfo');
  if (clientInfo === undefined) return 'clientInfo must be an object';
  // Only ever a legacy revision: the modern era has no handshake to agree on one.
  const revision = isLegacyRevision(requested) ? requested : legacyRevisions[0];
  return { revision, clientInfo, clientCapabilities };
}

function objectParam({ bytes, params }: Request, key: string): string | undefined {
  const value = params && objectAt(bytes, params, [key]);
  return value && rawText(bytes, value);
}

function objectAt(bytes: Buffer, span: Span, path: readonly string[]): Span | undefined {
  const value = memberAt(bytes, span, path)?.value;
  return value && kindOf(bytes, value) === 'object' ? value : undefined;
}

/** Members of a DiscoverResult that an InitializeResult does not have. */
const modernOnly = ['resultType', 'ttlMs', 'cacheScope', 'supportedVersions'];

/**
 * The InitializeResult of `revision` made of a raw DiscoverResult by splices: whatever is not named here stays as
 * it is. `fallbackName` names a server that does not name itself, since the legacy era wants a name.
 */
export function initializeResult(discovered: Buffer, revision: LegacyRevision, fallbackName: string): Buffer {
  const root = { start: 0, end: discovered.length };
  const capabilities = objectAt(discovered, root, ['capabilities']);
  const serverInfo = objectAt(discovered, root, ['_meta', metaKeys.serverInfo]);
  const named = serverInfo
    ? rawText(discovered, serverInfo)
    : JSON.stringify({ name: fallbackName, version: 'unknown' });
  const set: [string, string][] = [
    ['protocolVersion', JSON.stringify(revision)],
    ['serverInfo', named],
  ];
  if (capabilities === undefined) set.push(['capabilities', '{}']);
  return applySplices(discovered, [
    ...withoutServerInfo(discovered, root, { set, remove: modernOnly }),
    ...(capabilities ? capabilityEdits(discovered, capabilities, revision) : []),
  ]);
}

/** Leaves what `revision` defines. */
function capabilityEdits(bytes: Buffer, capabilities: Span, revision: LegacyRevision): Splice[] {
  const keys = objectMembers(bytes, capabilities).map(({ key }) => key);
  return editObject(bytes, capabilities, { remove: keys.filter((key) => !definesCapability(revision, key)) });
}
