/**
 * Requests of every kind, and the era they tell: the table of the detector as data, so that the same rows are judged
 * by the pure function and played over a real socket. Rows are numbered as in src/era/detect-client.ts.
 */
import type { Cell } from '../../src/errors.js';
import type { LegacyOperation } from '../../src/era/detect-client.js';
import { metaKeys, type LegacyRevision } from '../../src/wire/meta-keys.js';

/** The session that a request names in `Mcp-Session-Id`; whoever plays a row puts the id in. */
export type RowSession =
  /** No such header. */
  | 'none'
  /** An id of no session. */
  | 'unknown'
  /** A session of this client that negotiated this revision. */
  | { readonly live: LegacyRevision };

/** What comes of a request. */
export type RowOutcome =
  | { readonly kind: 'modern'; readonly revision: string }
  | { readonly kind: 'legacy'; readonly operation: LegacyOperation }
  /** 202, and nobody is told. */
  | { readonly kind: 'stray-notification' }
  | RefusedOutcome;

/** A refusal: what the client sees. */
export interface RefusedOutcome {
  readonly kind: 'refused';
  readonly cell: Cell;
  readonly status: number;
  readonly code: number;
  /** Raw JSON of the id in the answer; null where it has none. */
  readonly id: string | null;
  /** The message of the error says this. */
  readonly says?: RegExp;
  readonly data?: unknown;
  /** The value of `Allow`. */
  readonly allow?: string;
}

/** One request. */
export interface EraRow {
  readonly row: number;
  readonly name: string;
  readonly method: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly session: RowSession;
  /** What the head alone tells; `read-body` unless it is given. */
  readonly head: 'read-body' | 'claims-modern' | 'legacy' | 'refused';
  readonly outcome: RowOutcome;
}

const json = { 'content-type': 'application/json' };
const modern = '2026-07-28';
const live: RowSession = { live: '2025-11-25' };
const liveBatching: RowSession = { live: '2025-03-26' };

const implementation = { name: 'client', version: '1.0.0' };

/** The envelope with `changes`; a key that is undefined is left out. */
function envelope(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    [metaKeys.protocolVersion]: modern,
    [metaKeys.clientInfo]: implementation,
    [metaKeys.clientCapabilities]: {},
    ...changes,
  };
}

function claim(revision: unknown): Record<string, unknown> {
  return envelope({ [metaKeys.protocolVersion]: revision });
}

/** A request for a method, with params; `_meta` is given apart. */
function call(method: string, meta?: unknown, params: Record<string, unknown> = {}, id: unknown = 'x7'): Buffer {
  const all = meta === undefined ? params : { ...params, _meta: meta };
  return text(JSON.stringify({ jsonrpc: '2.0', id, method, params: all }));
}

function notification(method: string, meta?: unknown): Buffer {
  return text(JSON.stringify({ jsonrpc: '2.0', method, params: meta === undefined ? {} : { _meta: meta } }));
}

function text(body: string): Buffer {
  return Buffer.from(body);
}

/** A request that opens as a legacy client does, asking for `revision`. */
function initialize(revision: unknown): Buffer {
  return call('initialize', undefined, { protocolVersion: revision, capabilities: {}, clientInfo: implementation });
}

/** The headers of a modern request. */
function mirrors(method: string, name?: string, version: string = modern): Record<string, string> {
  const headers = { ...json, 'mcp-protocol-version': version, 'mcp-method': method };
  return name === undefined ? headers : { ...headers, 'mcp-name': name };
}

function version(revision: string): Record<string, string> {
  return { ...json, 'mcp-protocol-version': revision };
}

/** A refusal; `more` is what is particular to it. */
function refused(
  cell: Cell,
  status: number,
  code: number,
  more: Partial<RefusedOutcome> & { id: string | null },
): RefusedOutcome {
  return { kind: 'refused', cell, status, code, ...more };
}

const served: RowOutcome = { kind: 'modern', revision: modern };
const message: RowOutcome = { kind: 'legacy', operation: 'message' };
const opening: RowOutcome = { kind: 'legacy', operation: 'initialize' };
const id = '"x7"';

const list = call('tools/list');
const modernList = call('tools/list', envelope());
const response = text('{"jsonrpc":"2.0","id":1,"result":{}}');
const errorResponse = text('{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"no"}}');

/** The parts of a row that are not as usual: a POST of JSON that names no session and whose body is read. */
type Draft = Pick<EraRow, 'name' | 'outcome'> & Partial<EraRow>;

function rows(row: number, drafts: readonly Draft[]): EraRow[] {
  const usual = { row, method: 'POST', headers: json, body: list, session: 'none', head: 'read-body' } as const;
  return drafts.map((draft) => ({ ...usual, ...draft }));
}

const notAllowed = refused('method-not-allowed', 405, -32600, { id: null, allow: 'POST, GET, DELETE, OPTIONS' });
const noVerbs = refused('method-not-allowed', 405, -32600, { id: null, says: /POST only/, allow: 'POST, OPTIONS' });
const noSession = refused('session-unknown', 404, -32600, { id: null });
const noSessionId = refused('session-id-missing', 400, -32600, { id: null });

const otherMethods = ['PUT', 'PATCH', 'HEAD', 'TRACE'].map((method) => ({
  name: method,
  method,
  body: text(''),
  head: 'refused' as const,
  outcome: notAllowed,
}));

const verbs = ['GET', 'DELETE'].flatMap((method) => {
  const usual = { method, headers: {}, body: text(''), head: 'refused' as const };
  const operation = method === 'GET' ? 'get' : 'delete';
  const here: Draft = {
    ...usual,
    name: `${method} on a live session`,
    session: live,
    head: 'legacy',
    outcome: { kind: 'legacy', operation },
  };
  return [
    here,
    { ...here, name: `${method} on a live session, with the header`, headers: version('2025-11-25') },
    { ...here, name: `${method} with a content type and no body`, headers: json },
    { ...usual, name: `${method} on an unknown session`, session: 'unknown', outcome: noSession },
    { ...usual, name: `${method} without a session`, outcome: noSessionId },
    { ...usual, name: `${method} of a modern client`, headers: version(modern), outcome: noVerbs },
    { ...usual, name: `${method} of a newer client`, headers: version('2027-01-01'), outcome: noVerbs },
  ] satisfies Draft[];
});

const goodTypes = [
  'Application/JSON',
  'application/json; charset=utf-8',
  'application/json;',
  'application/json ;charset=UTF-8',
].map((type): Draft => ({
  name: type,
  headers: { ...mirrors('tools/list'), 'content-type': type },
  body: modernList,
  head: 'claims-modern',
  outcome: served,
}));
const badTypes = [
  'text/plain; a=application/json',
  'text/plain',
  'application/jsonp',
  'application/json-rpc',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=application/json',
].map((type): Draft => ({
  name: type,
  headers: { ...mirrors('tools/list'), 'content-type': type },
  body: modernList,
  head: 'refused',
  outcome: refused('unsupported-media-type', 415, -32600, { id: null, says: /it is "/ }),
}));
const noType: Draft = {
  name: 'no content type',
  headers: { 'mcp-protocol-version': modern, 'mcp-method': 'tools/list' },
  body: modernList,
  head: 'refused',
  outcome: refused('unsupported-media-type', 415, -32600, { id: null, says: /there is none/ }),
};

const notJson = refused('not-json', 400, -32700, { id: null });
const broken = (
  [
    ['zero bytes', ''],
    ['white space', ' \r\n\t'],
    ['half an object', '{"jsonrpc":"2.0","id":1,"method":"pi'],
    ['two documents', '{"jsonrpc":"2.0","id":1,"method":"ping"} {}'],
    ['a trailing comma', '{"jsonrpc":"2.0","id":1,"method":"ping",}'],
    ['a leading zero', '{"jsonrpc":"2.0","id":01,"method":"ping"}'],
    ['single quotes', "{'jsonrpc':'2.0'}"],
    ['NaN', '{"jsonrpc":"2.0","id":NaN,"method":"ping"}'],
  ] as const
).map(([name, body]): Draft => ({ name, body: text(body), outcome: notJson }));
const invalidUtf8: Draft = {
  name: 'invalid UTF-8',
  body: Buffer.from('{"jsonrpc":"2.0","id":"\xff","method":"ping"}', 'latin1'),
  outcome: notJson,
};
const utf16: Draft = { name: 'UTF-16', body: Buffer.from(list.toString(), 'utf16le'), outcome: notJson };
const deep: Draft = {
  name: 'nested beyond any sense',
  body: text(`{"jsonrpc":"2.0","id":1,"method":"ping","params":${'['.repeat(100_000)}${']'.repeat(100_000)}}`),
  outcome: notJson,
};

function shape(name: string, body: string, idEchoed: string | null, says?: RegExp): Draft {
  const outcome = refused('not-json-rpc', 400, -32600, { id: idEchoed, ...(says && { says }) });
  return { name, body: text(body), outcome };
}

function twice(name: string, body: string, idEchoed: string | null, says: RegExp): Draft {
  return { name, body: text(body), outcome: refused('duplicate-member', 400, -32600, { id: idEchoed, says }) };
}

const batchRefused = refused('batch-not-allowed', 400, -32600, { id: null });
const twoLists = text(`[${list.toString()},${call('tools/list', undefined, {}, 2).toString()}]`);
const emptyBatch = refused('not-json-rpc', 400, -32600, { id: null, says: /empty array/ });

const first = refused('initialize-first', 400, -32600, { id, says: /Invalid request parameters/ });
const incomplete = refused('envelope-incomplete', 400, -32602, { id });
const mismatched = refused('header-mismatch', 400, -32020, { id });

/** A claim of `revision` with an equal header that nobody serves as modern. */
function unsupported(revision: string): Draft {
  const data = { supported: [modern], requested: revision };
  return {
    name: `claim and header ${revision}`,
    headers: mirrors('tools/list', undefined, revision),
    body: call('tools/list', claim(revision)),
    outcome: refused('unsupported-revision', 400, -32022, { id, data }),
  };
}

/** A modern request that names something, and its `Mcp-Name`. */
function named(name: string, method: string, params: Record<string, unknown>, header: string | undefined): Draft {
  return {
    name,
    headers: mirrors(method, header),
    body: call(method, envelope(), params),
    head: 'claims-modern',
    outcome: served,
  };
}

function misnamed(draft: Draft, says: RegExp): Draft {
  return { ...draft, outcome: { ...mismatched, says } };
}

/** A modern request whose envelope lacks something. */
function lacking(name: string, meta: Record<string, unknown>, says: RegExp): Draft {
  return {
    name,
    headers: mirrors('tools/list'),
    body: call('tools/list', meta),
    head: 'claims-modern',
    outcome: { ...incomplete, says },
  };
}

/** All rows; a table, one line each. */
// prettier-ignore
export const eraRows: readonly EraRow[] = [
  ...rows(1, otherMethods),
  ...rows(2, verbs),
  ...rows(3, [...goodTypes, ...badTypes, noType]),
  ...rows(4, [...broken, invalidUtf8, utf16, deep, { ...invalidUtf8, name: 'a claim changes nothing', headers: mirrors('ping'), head: 'claims-modern' }]),
  ...rows(5, [
    shape('null', 'null', null),
    shape('a number', '42', null),
    shape('a string', '"initialize"', null),
    shape('true', 'true', null),
    shape('no jsonrpc', '{"id":1,"method":"ping"}', '1'),
    shape('jsonrpc 1.0', '{"jsonrpc":"1.0","id":1,"method":"ping"}', '1'),
    shape('jsonrpc as a number', '{"jsonrpc":2.0,"id":1,"method":"ping"}', '1'),
    shape('id null', '{"jsonrpc":"2.0","id":null,"method":"tools/list"}', null, /id/),
    shape('id fractional', '{"jsonrpc":"2.0","id":1.5,"method":"tools/list"}', null, /id/),
    shape('id with an exponent', '{"jsonrpc":"2.0","id":1e3,"method":"tools/list"}', null, /id/),
    shape('id an object', '{"jsonrpc":"2.0","id":{},"method":"tools/list"}', null, /id/),
    shape('id an array', '{"jsonrpc":"2.0","id":[1],"method":"tools/list"}', null, /id/),
    shape('id true', '{"jsonrpc":"2.0","id":true,"method":"tools/list"}', null, /id/),
    shape('no method, no result', '{"jsonrpc":"2.0","id":1}', '1'),
    shape('method a number', '{"jsonrpc":"2.0","id":1,"method":7}', '1'),
    shape('params an array', '{"jsonrpc":"2.0","id":"x7","method":"tools/list","params":[]}', id),
    shape('params a string', '{"jsonrpc":"2.0","id":"x7","method":"tools/list","params":"a"}', id),
    twice('name twice', '{"jsonrpc":"2.0","id":"x7","method":"tools/call","params":{"name":"ok","name":"danger"}}', id, /params\.name/),
    twice('name and its escaped twin', '{"jsonrpc":"2.0","id":"x7","method":"tools/call","params":{"name":"ok","n\\u0061me":"danger"}}', id, /params\.name/),
    twice('uri twice', '{"jsonrpc":"2.0","id":"x7","method":"resources/read","params":{"uri":"a:1","uri":"a:2"}}', id, /params\.uri/),
    twice('taskId twice', '{"jsonrpc":"2.0","id":"x7","method":"tasks/get","params":{"taskId":"1","taskId":"2"}}', id, /params\.taskId/),
    twice('_meta twice', '{"jsonrpc":"2.0","id":"x7","method":"tools/list","params":{"_meta":{},"_meta":{}}}', id, /params\._meta/),
    twice('method twice', '{"jsonrpc":"2.0","id":"x7","method":"tools/list","method":"tools/call"}', id, /method/),
    twice('params twice', '{"jsonrpc":"2.0","id":"x7","method":"tools/list","params":{},"params":{}}', id, /params/),
    twice('jsonrpc twice', '{"jsonrpc":"2.0","jsonrpc":"2.0","id":"x7","method":"tools/list"}', id, /jsonrpc/),
    twice('id twice', '{"jsonrpc":"2.0","id":"x7","id":"x8","method":"tools/list"}', null, /id/),
    { ...shape('an initialize is no exception', '{"jsonrpc":"2.0","id":null,"method":"initialize"}', null) },
  ]),
  ...rows(6, [
    { name: 'two requests, no session', body: twoLists, outcome: batchRefused },
    { name: 'one element', body: text(`[${list.toString()}]`), outcome: batchRefused },
    { name: 'on a session of another revision', body: twoLists, session: { live: '2025-06-18' }, head: 'legacy', outcome: batchRefused },
    { name: 'on an unknown session', body: twoLists, session: 'unknown', outcome: batchRefused },
    { name: 'of a modern client', headers: mirrors('tools/list'), body: text(`[${modernList.toString()}]`), head: 'claims-modern', outcome: batchRefused },
    { name: 'of a modern client with a session of 2025-03-26', headers: mirrors('tools/list'), body: text(`[${modernList.toString()}]`), session: liveBatching, head: 'claims-modern', outcome: batchRefused },
    { name: 'both eras in one', body: text(`[${list.toString()},${modernList.toString()}]`), outcome: batchRefused },
    { name: 'on a session of 2025-03-26', body: twoLists, session: liveBatching, head: 'legacy', outcome: { kind: 'legacy', operation: 'batch' } },
    { name: 'on a session of 2025-03-26, with the header', headers: version('2025-03-26'), body: twoLists, session: liveBatching, head: 'legacy', outcome: { kind: 'legacy', operation: 'batch' } },
    { name: 'empty', body: text('[]'), outcome: emptyBatch },
    { name: 'empty, on a session of 2025-03-26', body: text(' [ ] '), session: liveBatching, head: 'legacy', outcome: emptyBatch },
  ]),
  ...rows(7, [
    { name: 'no header', session: live, head: 'legacy', outcome: message },
    { name: 'the header of the session', headers: version('2025-11-25'), session: live, head: 'legacy', outcome: message },
    { name: 'the header of another legacy revision', headers: version('2025-06-18'), session: live, head: 'legacy', outcome: message },
    { name: 'a modern claim without header', body: modernList, session: live, head: 'legacy', outcome: message },
    { name: 'a modern claim with a legacy header', headers: version('2025-11-25'), body: modernList, session: live, head: 'legacy', outcome: message },
    { name: 'a legacy claim', headers: version('2025-06-18'), body: call('tools/list', claim('2025-06-18')), session: live, head: 'legacy', outcome: message },
    { name: 'an initialize on a live session', body: initialize('2025-11-25'), session: live, head: 'legacy', outcome: message },
    { name: 'a claim of another type', body: call('tools/list', claim(42)), session: live, head: 'legacy', outcome: message },
    { name: 'a header that is no revision', headers: version('1999-01-01'), session: live, outcome: refused('bad-header', 400, -32600, { id, says: /MCP-Protocol-Version is "1999-01-01".*2025-11-25/ }) },
    { name: 'an empty header', headers: version(''), session: live, outcome: refused('bad-header', 400, -32600, { id, says: /MCP-Protocol-Version is ""/ }) },
  ]),
  ...rows(8, [
    { name: 'no header', body: initialize('2025-11-25'), outcome: opening },
    { name: 'a legacy header', headers: version('2025-11-25'), body: initialize('2025-06-18'), outcome: opening },
    { name: 'a header of the far future', headers: version('2099-01-01'), body: initialize('2025-11-25'), outcome: opening },
    { name: 'the header of a revision of no era', headers: version('1999-01-01'), body: initialize('2025-11-25'), outcome: opening },
    { name: 'a modern header', headers: version(modern), body: initialize('2025-11-25'), outcome: opening },
    { name: 'a modern header that names the method', headers: mirrors('initialize'), body: initialize('2025-11-25'), outcome: opening },
    { name: 'asking for a modern revision', body: initialize(modern), outcome: opening },
    { name: 'asking for the far future', body: initialize('2099-01-01'), outcome: opening },
    { name: 'asking for nothing', body: call('initialize'), outcome: opening },
    { name: 'with a modern envelope and header: a request of row 9, for a method that its era removed', headers: mirrors('initialize'), body: call('initialize', envelope()), outcome: served },
    { name: 'naming a session that has ended', body: initialize('2025-11-25'), session: 'unknown', outcome: opening },
    { name: 'on a live session with a header of no era', headers: version('1999-01-01'), body: initialize('2025-11-25'), session: live, outcome: opening },
    { name: 'after a byte order mark', body: Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), initialize('2025-11-25')]), outcome: opening },
  ]),
  ...rows(9, [
    { name: 'a whole request', headers: mirrors('tools/list'), body: modernList, head: 'claims-modern', outcome: served },
    { name: "with someone's live session", headers: mirrors('tools/list'), body: modernList, session: live, head: 'claims-modern', outcome: served },
    { name: 'with an unknown session', headers: mirrors('tools/list'), body: modernList, session: 'unknown', head: 'claims-modern', outcome: served },
    { name: 'without clientInfo', headers: mirrors('tools/list'), body: call('tools/list', envelope({ [metaKeys.clientInfo]: undefined })), head: 'claims-modern', outcome: served },
    { name: 'a method that nobody knows', headers: mirrors('acme/do'), body: call('acme/do', envelope()), head: 'claims-modern', outcome: served },
    { name: 'a method of the legacy era', headers: mirrors('ping'), body: call('ping', envelope()), head: 'claims-modern', outcome: served },
    { name: 'after a byte order mark', headers: mirrors('tools/list'), body: Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), modernList]), head: 'claims-modern', outcome: served },
    { name: 'a notification', headers: version(modern), body: notification('notifications/acme', envelope()), outcome: served },
    named('a tool', 'tools/call', { name: 'get_weather' }, 'get_weather'),
    named('a tool in another script', 'tools/call', { name: '天気' }, '=?base64?5aSp5rCX?='),
    named('a tool that looks encoded', 'tools/call', { name: '=?base64?eA==?=' }, '=?base64?PT9iYXNlNjQ/ZUE9PT89?='),
    named('a tool that is encoded without need', 'tools/call', { name: 'x' }, '=?base64?eA==?='),
    named('a tool called __proto__', 'tools/call', { name: '__proto__' }, '__proto__'),
    named('a case variant beside it', 'tools/call', { name: 'ok', Name: 'danger' }, 'ok'),
    named('a prompt', 'prompts/get', { name: 'greet' }, 'greet'),
    named('a resource', 'resources/read', { uri: 'file:///a%20b' }, 'file:///a%20b'),
    named('a resource in another script', 'resources/read', { uri: 'file:///é' }, '=?base64?ZmlsZTovLy/DqQ==?='),
    named('a task', 'tasks/get', { taskId: 't-1' }, 't-1'),
    named('an update of a task', 'tasks/update', { taskId: 't-1' }, 't-1'),
    named('the end of a task', 'tasks/cancel', { taskId: 't-1' }, 't-1'),
    named('a tool without a name', 'tools/call', {}, undefined),
    named('a name where none is mirrored', 'tools/list', {}, 'anything'),
    lacking('no clientCapabilities', envelope({ [metaKeys.clientCapabilities]: undefined }), /clientCapabilities" \(an object\)$/),
    lacking('clientCapabilities an array', envelope({ [metaKeys.clientCapabilities]: [] }), /clientCapabilities/),
    lacking('clientCapabilities null', envelope({ [metaKeys.clientCapabilities]: null }), /clientCapabilities/),
    lacking('clientInfo a number', envelope({ [metaKeys.clientInfo]: 42 }), /clientInfo/),
    lacking('clientInfo null', envelope({ [metaKeys.clientInfo]: null }), /clientInfo/),
    lacking('clientInfo without a version', envelope({ [metaKeys.clientInfo]: { name: 'c' } }), /clientInfo/),
    lacking('clientInfo with a number for a name', envelope({ [metaKeys.clientInfo]: { name: 1, version: '1' } }), /clientInfo/),
    { name: 'no Mcp-Method', headers: version(modern), body: modernList, outcome: { ...mismatched, says: /Mcp-Method is missing, the body says "tools\/list"/ } },
    { name: 'another Mcp-Method', headers: mirrors('tools/call'), body: modernList, head: 'claims-modern', outcome: { ...mismatched, says: /Mcp-Method is "tools\/call", the body says "tools\/list"/ } },
    { name: 'Mcp-Method in another case', headers: mirrors('Tools/List'), body: modernList, head: 'claims-modern', outcome: { ...mismatched, says: /Mcp-Method is "Tools\/List"/ } },
    misnamed(named('no Mcp-Name', 'tools/call', { name: 'a' }, undefined), /Mcp-Name is missing, the body says "a"/),
    misnamed(named('another Mcp-Name', 'tools/call', { name: 'danger' }, 'ok'), /Mcp-Name is "ok", the body says "danger"/),
    misnamed(named('Mcp-Name in another case', 'tools/call', { name: 'ok' }, 'OK'), /Mcp-Name is "OK"/),
    misnamed(named('Mcp-Name of another resource', 'resources/read', { uri: 'a:1' }, 'a:2'), /Mcp-Name is "a:2"/),
    misnamed(named('Mcp-Name of another task', 'tasks/cancel', { taskId: '1' }, '2'), /Mcp-Name is "2"/),
    misnamed(named('Mcp-Name that does not decode', 'tools/call', { name: 'x' }, '=?base64?e?='), /Mcp-Name has broken base64/),
    misnamed(named('Mcp-Name for a body that has none', 'tools/call', {}, 'ok'), /Mcp-Name is "ok", and the body has no string params.name/),
  ]),
  ...rows(10, ['2025-06-18', '2025-11-25', '1900-01-01', '2027-01-01', 'DRAFT-2026-v1', ''].map(unsupported)),
  ...rows(10, [{ ...unsupported('2027-01-01'), name: 'on a live session, an era of its own', session: live }]),
  ...rows(11, [
    { name: 'no header', body: modernList, outcome: { ...mismatched, says: /MCP-Protocol-Version is missing, the body says "2026-07-28"/ } },
    { name: 'a legacy header', headers: version('2025-11-25'), body: modernList, outcome: { ...mismatched, says: /MCP-Protocol-Version is "2025-11-25", the body says "2026-07-28"/ } },
    { name: 'a legacy header and an unknown session', headers: version('2025-11-25'), body: modernList, session: 'unknown', outcome: mismatched },
    { name: 'a newer header', headers: mirrors('tools/list', undefined, '2027-01-01'), body: modernList, outcome: mismatched },
    { name: 'a modern header and a legacy claim', headers: mirrors('tools/list'), body: call('tools/list', claim('2025-11-25')), head: 'claims-modern', outcome: { ...mismatched, says: /is "2026-07-28", the body says "2025-11-25"/ } },
    { name: 'a modern header and a legacy claim on a live session', headers: mirrors('tools/list'), body: call('tools/list', claim('2025-11-25')), session: live, head: 'claims-modern', outcome: mismatched },
    { name: 'a header of no era on a live session', headers: version('1999-01-01'), body: modernList, session: live, outcome: mismatched },
    { name: 'a numeric id is echoed as a number', body: call('tools/list', envelope(), {}, -7), outcome: { ...mismatched, id: '-7' } },
    { name: 'an empty id is an id', body: call('tools/list', envelope(), {}, ''), outcome: { ...mismatched, id: '""' } },
    { name: 'an integer beyond 2^53 is not rounded', body: text(call('tools/list', envelope(), {}, 1).toString().replace('"id":1', '"id":9007199254740993')), outcome: { ...mismatched, id: '9007199254740993' } },
    { name: 'a notification', body: notification('notifications/acme', envelope()), outcome: { ...mismatched, id: null } },
  ]),
  ...rows(12, [
    { name: 'no _meta', headers: mirrors('tools/list'), head: 'claims-modern', outcome: { ...incomplete, says: /protocolVersion" \(a string\) and .*clientCapabilities"/ } },
    { name: 'no params', headers: mirrors('tools/list'), body: text('{"jsonrpc":"2.0","id":"x7","method":"tools/list"}'), head: 'claims-modern', outcome: { ...incomplete, says: /protocolVersion/ } },
    { name: 'params null', headers: mirrors('tools/list'), body: text('{"jsonrpc":"2.0","id":"x7","method":"tools/list","params":null}'), head: 'claims-modern', outcome: incomplete },
    { name: '_meta a string', headers: mirrors('tools/list'), body: call('tools/list', 'a'), head: 'claims-modern', outcome: incomplete },
    { name: 'a claim that is no string', headers: mirrors('tools/list'), body: call('tools/list', claim(20260728)), head: 'claims-modern', outcome: { ...incomplete, says: /needs "io.modelcontextprotocol\/protocolVersion" \(a string\)$/ } },
    { name: 'no Mcp-Method either', headers: version(modern), outcome: incomplete },
    { name: 'a revision that we do not serve', headers: version('2027-01-01'), outcome: incomplete },
    { name: 'a live session', headers: version(modern), session: live, outcome: incomplete },
    { name: 'an unknown session', headers: version(modern), session: 'unknown', outcome: incomplete },
    { name: 'a notification', headers: version(modern), body: notification('notifications/initialized'), outcome: { kind: 'stray-notification' } },
    { name: 'a notification with a live session', headers: version(modern), body: notification('notifications/cancelled'), session: live, outcome: { kind: 'stray-notification' } },
    { name: 'a response', headers: version(modern), body: response, outcome: refused('not-json-rpc', 400, -32600, { id: null, says: /modern client sends requests/ }) },
    { name: 'an error', headers: version(modern), body: errorResponse, session: live, outcome: refused('not-json-rpc', 400, -32600, { id: null }) },
  ]),
  ...rows(13, [
    { name: 'a response', body: response, session: live, head: 'legacy', outcome: message },
    { name: 'an error', headers: version('2025-11-25'), body: errorResponse, session: live, head: 'legacy', outcome: message },
    { name: 'a notification', body: notification('notifications/initialized'), session: live, head: 'legacy', outcome: message },
    { name: 'a notification with a modern claim', body: notification('notifications/cancelled', envelope()), session: live, head: 'legacy', outcome: message },
  ]),
  ...rows(14, [
    { name: 'a request of nobody', outcome: first },
    { name: 'a request with a legacy header', headers: version('2025-11-25'), outcome: first },
    { name: 'a request with a header of no era', headers: version('1999-01-01'), outcome: first },
    { name: 'params null', body: text('{"jsonrpc":"2.0","id":"x7","method":"tools/list","params":null}'), outcome: first },
    { name: 'stray reserved keys are no claim', body: call('tools/list', { [metaKeys.clientInfo]: implementation, [metaKeys.clientCapabilities]: {}, [metaKeys.logLevel]: 'debug' }), outcome: first },
    { name: 'a claim of another type', body: call('tools/list', claim(42)), outcome: first },
    { name: 'a claim at the wrong place', body: call('tools/list', undefined, { [metaKeys.protocolVersion]: modern }), outcome: first },
    { name: 'a notification', body: notification('notifications/initialized'), outcome: { ...first, id: null } },
    { name: 'an initialize that is a notification', body: notification('initialize'), outcome: { ...first, id: null } },
    { name: 'a response', body: response, outcome: { ...first, id: null } },
    { name: 'a request on an unknown session', session: 'unknown', outcome: { ...noSession, id } },
    { name: 'the same with its header', headers: version('2025-06-18'), session: 'unknown', outcome: { ...noSession, id } },
    { name: 'a response on an unknown session', body: response, session: 'unknown', outcome: noSession },
  ]),
];
