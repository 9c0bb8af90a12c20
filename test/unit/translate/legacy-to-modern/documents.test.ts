/** Cutting an answer into documents, however the network has cut it. */
import { Readable } from 'node:stream';
import fc from 'fast-check';
import t from 'tap';
import { RefusalError } from '../../../../src/errors.js';
import { documentsOf } from '../../../../src/translate/legacy-to-modern/documents.js';

async function documents(contentType: string | undefined, body: Readable): Promise<string[]> {
  const found: string[] = [];
  for await (const document of documentsOf({ status: 200, headers: { 'content-type': contentType }, body }))
    found.push(document.toString());
  return found;
}

/** `bytes` in pieces that end at `cuts`. */
function pieces(bytes: Buffer, cuts: readonly number[]): Readable {
  const ends = [...new Set(cuts.map((cut) => cut % bytes.length))].sort((a, b) => a - b);
  return Readable.from([...ends, bytes.length].map((end, at) => bytes.subarray(at === 0 ? 0 : ends[at - 1], end)));
}

const rows: readonly (readonly [name: string, label: string | undefined, body: string, found: readonly string[]])[] = [
  ['a document', 'application/json', ' {"a":"é\\u2028"}\n', ['{"a":"é\\u2028"}\n']],
  ['no label', undefined, '{"a":1}', ['{"a":1}']],
  ['anything', 'text/html', '<p>', ['<p>']],
  ['events', 'text/event-stream', 'data: {"a":\ndata: "é"}\n\nevent: message\ndata: 2\n\n', ['{"a":\n"é"}', '2']],
  ['events with parameters', 'Text/Event-Stream; charset=utf-8', '\n\ndata: 1\r\n\r\n', ['1']],
  [
    'what is no message',
    'text/event-stream',
    ': hi\n\nid: 1\ndata:\n\nevent: ping\ndata: {}\n\nretry: 5\n\ndata: 1\n\n',
    ['1'],
  ],
  ['a last event that is cut off', 'text/event-stream', 'data: 1\n\ndata: 2\n', ['1']],
  ['bare JSON under a wrong label', 'text/event-stream', '\r\n {"a":\n\n"data: 1"}', ['{"a":\n\n"data: 1"}']],
  ['nothing', 'application/json', '', ['']],
  ['an event stream with nothing', 'text/event-stream', '', []],
  ['white space only', 'application/json', ' \n', ['']],
];

t.test('the documents of an answer', async (t) => {
  for (const [name, label, body, found] of rows) {
    t.same(await documents(label, Readable.from([Buffer.from(body)])), found, name);
    if (body === '') continue;
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(), { maxLength: 8 }), async (cuts) => {
        t.same(await documents(label, pieces(Buffer.from(body), cuts)), found, `${name}, cut at ${cuts.join()}`);
        return t.passing();
      }),
      { numRuns: 30 },
    );
  }
});

t.test('a body that breaks off is a refusal, and what came before it is there', async (t) => {
  const failing = (error: Error) =>
    Readable.from(
      (function* () {
        yield Buffer.from('data: 1\n\n');
        throw error;
      })(),
    );
  for (const [code, cell] of [
    ['ECONNRESET', 'upstream-reset'],
    ['UND_ERR_SOCKET', 'upstream-reset'],
    ['UND_ERR_BODY_TIMEOUT', 'upstream-timeout'],
  ] as const) {
    const found: string[] = [];
    const reading = (async () => {
      const body = failing(Object.assign(new Error(code), { code }));
      for await (const one of documentsOf({ status: 200, headers: { 'content-type': 'text/event-stream' }, body }))
        found.push(one.toString());
    })();
    const error = await reading.catch((reason: unknown) => reason);
    t.ok(error instanceof RefusalError && error.refusal.cell === cell, cell);
    t.same(found, ['1']);
  }
});

t.test('who stops early leaves the body as it is', async (t) => {
  const body = Readable.from([Buffer.from('data: 1\n\n'), Buffer.from('data: 2\n\n')]);
  for await (const document of documentsOf({ status: 200, headers: { 'content-type': 'text/event-stream' }, body })) {
    t.equal(document.toString(), '1');
    break;
  }
  t.notOk(body.destroyed);
});
