import t, { type Test } from 'tap';
import {
  detectFromBody,
  detectFromHead,
  type ClientHead,
  type Detection,
  type SessionView,
} from '../../../src/era/detect-client.js';
import { renderRefusal, type Refusal } from '../../../src/errors.js';
import { readMessage } from '../../../src/wire/jsonrpc.js';
import { eraRows, type EraRow, type RefusedOutcome } from '../../rig/era-rows.js';

function headOf({ method, headers }: EraRow): ClientHead {
  return {
    method,
    contentType: headers['content-type'],
    protocolVersion: headers['mcp-protocol-version'],
    mcpMethod: headers['mcp-method'],
    mcpName: headers['mcp-name'],
  };
}

function sessionOf({ session }: EraRow): SessionView {
  return typeof session === 'string' ? { state: session } : { state: 'live', revision: session.live };
}

/** What the head tells where it is the last word, else what the body tells. */
function detect(row: EraRow): Detection {
  const fromHead = detectFromHead(headOf(row), sessionOf(row));
  if (fromHead.kind === 'refused') return fromHead;
  if (fromHead.kind === 'legacy' && fromHead.operation !== 'message') return fromHead;
  return detectFromBody(headOf(row), sessionOf(row), readMessage(row.body));
}

for (const row of eraRows) {
  t.test(`row ${row.row}: ${row.name}`, async (t) => {
    t.equal(detectFromHead(headOf(row), sessionOf(row)).kind, row.head, 'the head alone');
    const detection = detect(row);
    if (detection.kind === 'refused' && row.outcome.kind === 'refused') checkAnswer(t, detection, row.outcome);
    else t.same(detection, row.outcome);
  });
}

function checkAnswer(t: Test, refusal: Refusal, outcome: RefusedOutcome): void {
  t.equal(refusal.cell, outcome.cell);
  const { status, headers, body } = renderRefusal(refusal);
  t.equal(status, outcome.status);
  // The id is compared as text: 9007199254740993 and "1" must come back as they were.
  t.equal(/^\{"jsonrpc":"2\.0",(?:"id":(.*?),)?"error":/.exec(body.toString())?.[1] ?? null, outcome.id, 'the id');
  const { error } = JSON.parse(body.toString()) as { error: { code: number; message: string; data?: unknown } };
  t.equal(error.code, outcome.code);
  if (outcome.says) t.match(error.message, outcome.says);
  t.same(error.data, outcome.data);
  if (outcome.allow) t.equal(headers['allow'], outcome.allow);
}

t.test('every row of the table is here', async (t) => {
  const numbers = new Set(eraRows.map(({ row }) => row));
  for (let row = 1; row <= 14; row++) t.ok(numbers.has(row), `row ${row}`);
});

t.test('what the head alone says of a session, the body does not change to modern', async (t) => {
  const onSession = eraRows.filter(({ head, method }) => head === 'legacy' && method === 'POST');
  t.ok(onSession.length > 10);
  for (const row of onSession) t.not(detect(row).kind, 'modern', row.name);
});

t.test("a client's text in an error is bounded", async (t) => {
  const head = headOf({ ...(eraRows[0] as EraRow), method: 'POST', headers: { 'content-type': 'x'.repeat(5_000) } });
  const detection = detectFromHead(head, { state: 'none' });
  t.ok(detection.kind === 'refused' && (detection.detail ?? '').length < 200);
});
