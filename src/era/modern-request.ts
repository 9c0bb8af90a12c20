/**
 * What a modern request needs besides its claim: the rest of the envelope (2026-07-28, basic/index `_meta`) and the
 * headers that mirror the body (streamable-http "Standard Request Headers"). Pure.
 */
import { refuse, type Refusal } from '../errors.js';
import { findMember, kindOf, objectMembers, type Member } from '../wire/json.js';
import { paramString, type Request } from '../wire/jsonrpc.js';
import { decodeHeaderValue, nameParamOf } from '../wire/mcp-headers.js';
import { metaKeys } from '../wire/meta-keys.js';

/** The headers that mirror the body, as they came. */
export interface Mirrors {
  readonly mcpMethod: string | undefined;
  readonly mcpName: string | undefined;
}

/** The refusal of a request that claims a revision and whose envelope is not complete; undefined if it is. */
export function checkEnvelope(request: Request): Refusal | undefined {
  const members = envelopeOf(request);
  if (!hasCapabilities(request, members)) return incomplete(request, [needsCapabilities]);
  if (!hasFitClientInfo(request, members)) return incomplete(request, [needsClientInfo]);
  return undefined;
}

/** The refusal of a request whose header is modern and whose body claims no revision: all that it lacks. */
export function incompleteEnvelope(request: Request): Refusal {
  const lacksCapabilities = !hasCapabilities(request, envelopeOf(request));
  return incomplete(request, lacksCapabilities ? [needsRevision, needsCapabilities] : [needsRevision]);
}

const needsRevision = `"${metaKeys.protocolVersion}" (a string)`;
const needsCapabilities = `"${metaKeys.clientCapabilities}" (an object)`;
const needsClientInfo = `a string name and version in "${metaKeys.clientInfo}", where it is given`;

function incomplete({ id }: Request, needs: readonly string[]): Refusal {
  return refuse('envelope-incomplete', { id, detail: `params._meta needs ${needs.join(' and ')}` });
}

function envelopeOf({ bytes, meta }: Request): Member[] {
  return meta === undefined ? [] : objectMembers(bytes, meta);
}

function hasCapabilities({ bytes }: Request, envelope: readonly Member[]): boolean {
  const member = findMember(envelope, metaKeys.clientCapabilities);
  return member !== undefined && kindOf(bytes, member.value) === 'object';
}

/** Clients should name themselves and need not; but what is there has to be an `Implementation` (schema). */
function hasFitClientInfo({ bytes }: Request, envelope: readonly Member[]): boolean {
  const info = findMember(envelope, metaKeys.clientInfo)?.value;
  if (info === undefined) return true;
  if (kindOf(bytes, info) !== 'object') return false;
  const members = objectMembers(bytes, info);
  return ['name', 'version'].every((key) => {
    const member = findMember(members, key);
    return member !== undefined && kindOf(bytes, member.value) === 'string';
  });
}

/** The refusal of a request whose `Mcp-Method` or `Mcp-Name` says something else than its body. */
export function checkMirrors(mirrors: Mirrors, request: Request): Refusal | undefined {
  const detail = compare('Mcp-Method', mirrors.mcpMethod, request.method) ?? compareName(mirrors.mcpName, request);
  return detail === undefined ? undefined : refuse('header-mismatch', { id: request.id, detail });
}

/** Where neither says a name, whoever checks the parameters of the method says what is wrong. */
function compareName(header: string | undefined, request: Request): string | undefined {
  const param = nameParamOf(request.method);
  if (param === undefined) return undefined;
  const name = paramString(request, param);
  if (name !== undefined) return compare('Mcp-Name', header, name);
  return header === undefined ? undefined : `Mcp-Name is ${quote(header)}, and the body has no string params.${param}`;
}

function compare(name: string, header: string | undefined, body: string): string | undefined {
  if (header === undefined) return mismatch(name, undefined, body);
  const decoded = decodeHeaderValue(header);
  return decoded.kind === 'invalid' ? `${name} has ${decoded.reason}` : mismatch(name, decoded.value, body);
}

/** What is wrong where the header `name` does not say what the body says; undefined where they agree. */
export function mismatch(name: string, header: string | undefined, body: string): string | undefined {
  if (header === body) return undefined;
  return `${name} ${header === undefined ? 'is missing' : `is ${quote(header)}`}, the body says ${quote(body)}`;
}

/** A client's text in a sentence of ours, bounded. */
export function quote(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text);
}
