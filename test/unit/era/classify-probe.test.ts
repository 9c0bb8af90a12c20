import t from 'tap';
import { classifyProbe, type ProbeAnswer, type ProbeVerdict, type Speaks } from '../../../src/era/classify-probe.js';
import { renderRefusal, type Cell, type Refusal } from '../../../src/errors.js';

interface Row {
  readonly name: string;
  readonly status?: number;
  readonly type?: string;
  readonly body: string | Buffer;
  readonly speaks?: Speaks;
  readonly revisions?: readonly string[];
  readonly none?: Cell;
}

const discover = (versions: unknown, more = {}): string =>
  JSON.stringify({
    jsonrpc: '2.0',
    id: 'probe',
    result: { resultType: 'complete', supportedVersions: versions, capabilities: { tools: {} }, ...more },
  });
const error = (code: number, data?: unknown, id: unknown = 'probe'): string =>
  JSON.stringify({ jsonrpc: '2.0', id, error: { code, message: 'no', data } });
const html = '<!doctype html><title>Not here</title>';
const sse = 'text/event-stream; charset=utf-8';
const progress = 'data: {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"hi"}}\n\n';

// prettier-ignore
const rows: readonly Row[] = [
  // A DiscoverResult.
  { name: 'a modern revision', body: discover(['2026-07-28']), speaks: 'modern', revisions: ['2026-07-28'] },
  { name: 'a modern revision that we do not know', body: discover(['2027-01-01']), speaks: 'modern' },
  { name: 'a modern and a legacy revision', body: discover(['2026-07-28', '2025-11-25']), speaks: 'both' },
  { name: 'legacy revisions only', body: discover(['2025-11-25']), speaks: 'legacy', revisions: ['2025-11-25'] },
  { name: 'no revisions', body: discover(undefined), speaks: 'legacy' },
  { name: 'revisions that are no array', body: discover('2026-07-28'), speaks: 'legacy' },
  { name: 'revisions of all types', body: discover([1, null, '2026-07-28', {}]), speaks: 'modern' },
  { name: 'a status of 201', status: 201, body: discover(['2026-07-28']), speaks: 'modern' },
  { name: 'the answer as an event', type: sse, body: `data: ${discover(['2026-07-28'])}\n\n`, speaks: 'modern' },
  {
    name: 'the answer after other events',
    type: 'Text/Event-Stream',
    body: `: hello\n\nid: 1\ndata:\n\n${progress}event: message\ndata: ${discover(['2026-07-28'])}\n\n`,
    speaks: 'modern',
  },
  { name: 'JSON that is labelled an event stream', type: sse, body: discover(['2026-07-28']), speaks: 'modern' },
  { name: 'JSON without a label', type: '', body: discover(['2026-07-28']), speaks: 'modern' },
  { name: 'the id spelled otherwise', body: discover(['2026-07-28']).replace('"probe"', '"\\u0070robe"'), speaks: 'modern' },

  // −32022.
  { name: '-32022 that lists a modern revision', status: 400, body: error(-32022, { supported: ['2027-01-01'] }), speaks: 'modern', revisions: ['2027-01-01'] },
  { name: '-32022 that lists the revision it refused', status: 400, body: error(-32022, { supported: ['2026-07-28'] }), speaks: 'modern' },
  { name: '-32022 that lists both eras', status: 400, body: error(-32022, { supported: ['2027-01-01', '2025-06-18'] }), speaks: 'both' },
  { name: '-32022 that lists legacy revisions only', status: 400, body: error(-32022, { supported: ['2025-11-25', '2025-06-18'] }), speaks: 'legacy', revisions: ['2025-11-25', '2025-06-18'] },
  { name: '-32022 that lists nothing', status: 400, body: error(-32022), speaks: 'legacy' },
  { name: '-32022 with 200', body: error(-32022, { supported: ['2027-01-01'] }), speaks: 'modern' },

  // −32020 and −32021.
  { name: '-32020', status: 400, body: error(-32020), speaks: 'modern' },
  { name: '-32020 without an id', status: 400, body: '{"jsonrpc":"2.0","error":{"code":-32020,"message":"no"}}', speaks: 'modern' },
  { name: '-32020 spelled otherwise', status: 400, body: '{"jsonrpc":"2.0","error":{"code":-3.2020e4,"message":"no"}}', speaks: 'modern' },
  { name: '-32021', status: 400, body: error(-32021, { requiredCapabilities: ['roots'] }), speaks: 'modern' },

  // Any other JSON-RPC error.
  { name: '-32601 with 200', body: error(-32601), speaks: 'legacy' },
  { name: '-32601 with 404', status: 404, body: error(-32601), speaks: 'legacy' },
  { name: '-32600 with id null', status: 400, body: error(-32600, undefined, null), speaks: 'legacy' },
  { name: '-32602', status: 400, body: error(-32602), speaks: 'legacy' },
  { name: '-32000 session id required', status: 400, body: error(-32000, undefined, null), speaks: 'legacy' },
  { name: '-32000 with 405', status: 405, body: error(-32000, undefined, null), speaks: 'legacy' },
  { name: 'a draft code for a header mismatch', status: 400, body: error(-32001), speaks: 'legacy' },
  { name: 'a draft code for an unsupported revision', status: 400, body: error(-32004, { supported: ['2026-07-28'] }), speaks: 'legacy' },
  { name: 'an error on an event stream', type: sse, body: `data: ${error(-32601)}\n\n`, speaks: 'legacy' },
  { name: 'a code that is a string', status: 400, body: '{"jsonrpc":"2.0","id":"probe","error":{"code":"-32020"}}', speaks: 'legacy' },
  { name: 'an error with a strange status', status: 409, body: error(-32000), speaks: 'legacy' },

  // No JSON-RPC at all.
  { name: 'HTML with 404', status: 404, type: 'text/html', body: html, speaks: 'legacy' },
  { name: 'HTML with 405', status: 405, type: 'text/html', body: html, speaks: 'legacy' },
  { name: 'HTML with 200', type: 'text/html', body: html, speaks: 'legacy' },
  { name: 'text with 400', status: 400, type: 'text/plain', body: 'No session', speaks: 'legacy' },
  { name: 'nothing with 400', status: 400, type: '', body: '', speaks: 'legacy' },
  { name: 'nothing with 202', status: 202, type: '', body: '', speaks: 'legacy' },
  { name: '406', status: 406, type: 'text/plain', body: 'Not Acceptable', speaks: 'legacy' },
  { name: 'JSON that is no JSON-RPC', body: '{"supportedVersions":["2026-07-28"]}', speaks: 'legacy' },
  { name: 'an envelope of its own', body: `{"raw":${discover(['2026-07-28'])}}`, speaks: 'legacy' },
  { name: "someone else's answer", body: discover(['2026-07-28']).replace('"probe"', '1'), speaks: 'legacy' },
  { name: 'the result of something else', body: '{"jsonrpc":"2.0","id":"probe","result":{"tools":[]}}', speaks: 'legacy' },
  { name: 'an array', body: `[${discover(['2026-07-28'])}]`, speaks: 'legacy' },
  { name: 'an event stream that ends without an answer', type: sse, body: progress, speaks: 'legacy' },
  { name: 'an event that is cut off', type: sse, body: `data: ${discover(['2026-07-28'])}`, speaks: 'legacy' },
  { name: 'invalid UTF-8', body: Buffer.from(discover(['2026-07-28', '\xff']), 'latin1'), speaks: 'legacy' },

  // No verdict.
  { name: '401', status: 401, type: 'text/plain', body: 'no', none: 'upstream-auth' },
  { name: '401 with a modern error', status: 401, body: error(-32020), none: 'upstream-auth' },
  { name: '403', status: 403, type: 'text/plain', body: 'no', none: 'upstream-forbidden' },
  { name: '307', status: 307, body: '', none: 'upstream-redirect' },
  { name: '408', status: 408, body: '', none: 'upstream-failed' },
  { name: '410', status: 410, type: 'text/html', body: html, none: 'upstream-failed' },
  { name: '421', status: 421, type: 'text/plain', body: 'Invalid Host header', none: 'upstream-failed' },
  { name: '429 with a JSON-RPC error', status: 429, body: error(-32000), none: 'upstream-failed' },
  { name: '500 with a JSON-RPC error', status: 500, body: error(-32603), none: 'upstream-failed' },
  { name: '500 with a modern error', status: 500, body: error(-32020), none: 'upstream-failed' },
  { name: '502 with HTML', status: 502, type: 'text/html', body: html, none: 'upstream-failed' },
  { name: '503', status: 503, body: '', none: 'upstream-failed' },
];

function http({ status = 200, type = 'application/json', body }: Row, challenge?: string): ProbeAnswer {
  return { kind: 'http', status, contentType: type || undefined, challenge, body: Buffer.from(body as string) };
}

function refusalOf(judged: ProbeVerdict): Refusal {
  if (judged.kind !== 'none') throw new Error(`there is a verdict: ${judged.kind}`);
  return judged.refusal;
}

for (const row of rows) {
  t.test(row.name, async (t) => {
    const judged = classifyProbe(http(row));
    if (row.none !== undefined) {
      t.match(judged, { kind: 'none', refusal: { cell: row.none } });
      return;
    }
    t.match(judged, { kind: 'verdict', speaks: row.speaks });
    if (row.revisions) t.same((judged as ProbeVerdict & { kind: 'verdict' }).revisions, row.revisions);
  });
}

t.test('no answer at all is no verdict, and says why', async (t) => {
  for (const cell of ['upstream-unreachable', 'upstream-reset', 'upstream-timeout'] as const)
    t.match(classifyProbe({ kind: 'failed', cell }), { kind: 'none', refusal: { cell } });
});

t.test('the DiscoverResult is kept byte for byte', async (t) => {
  const result = '{ "supportedVersions" : ["2026-07-28"], "capabilities":{}, "x": 9007199254740993, "y":1.0 }';
  const judged = classifyProbe(http({ name: '', body: `{"jsonrpc":"2.0","result": ${result} ,"id":"probe"}` }));
  t.equal(judged.kind === 'verdict' && judged.discovered?.toString(), result);
  const legacy = classifyProbe(http({ name: '', body: discover(['2025-11-25']) }));
  t.equal(legacy.kind === 'verdict' && legacy.discovered, undefined, 'what says legacy is not asked again as modern');
});

t.test("a challenge of the client's credential reaches the client", async (t) => {
  const challenge = 'Bearer resource_metadata="https://up.example/.well-known/oauth-protected-resource"';
  for (const [status, cell] of [
    [401, 'upstream-auth'],
    [403, 'upstream-forbidden'],
  ] as const) {
    const judged = classifyProbe(http({ name: '', status, body: '' }, challenge));
    const refusal = refusalOf(judged);
    const answer = renderRefusal(refusal);
    t.equal(refusal.cell, cell);
    t.equal(answer.status, status);
    t.equal(answer.headers['www-authenticate'], challenge);
  }
});

t.test("a challenge of the gateway's own credential does not", async (t) => {
  const question = { revision: '2026-07-28', served: ['2026-07-28'], ownCredential: true };
  for (const status of [401, 403]) {
    const judged = classifyProbe(http({ name: '', status, body: '' }, 'Bearer realm="up"'), question);
    const answer = renderRefusal(refusalOf(judged));
    t.equal(answer.status, 502);
    t.notOk('www-authenticate' in answer.headers);
  }
});

t.test('a revision that both know is asked for once more', async (t) => {
  const served = ['2027-01-01', '2026-07-28'];
  const refusal = http({ name: '', status: 400, body: error(-32022, { supported: ['2026-07-28', '2025-11-25'] }) });
  const first = classifyProbe(refusal, { revision: '2027-01-01', served, ownCredential: false });
  t.same(first, { kind: 'retry', revision: '2026-07-28' });
  const second = classifyProbe(refusal, { revision: '2026-07-28', served, ownCredential: false });
  t.match(second, { kind: 'verdict', speaks: 'both' }, 'not for the one that was refused');
});
