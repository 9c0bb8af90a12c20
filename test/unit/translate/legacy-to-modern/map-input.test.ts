import t from 'tap';
import {
  readInputRequired,
  retryOf,
  type InputRequired,
} from '../../../../src/translate/legacy-to-modern/map-input.js';
import type { Request } from '../../../../src/wire/jsonrpc.js';
import { read } from './messages.js';

const call = (method = 'tools/call', params = '{"name":"a"}'): Request =>
  read('request', `{"jsonrpc":"2.0","id":7,"method":"${method}","params":${params}}`);

/** What is asked, or the cell and detail of a refusal. */
function input(result: string, method?: string): InputRequired | string {
  const response = read('response', `{"jsonrpc":"2.0","id":7,"result":${result}}`);
  const mapped = readInputRequired(response, call(method));
  return mapped.kind === 'input' ? mapped : `${mapped.cell}: ${mapped.detail}`;
}

t.test('what is asked, as it was written', async (t) => {
  const form = '{ "message":"n\\u00e9?", "requestedSchema":{"maximum":9007199254740993,"__proto__":{"f":1.0}} }';
  t.same(
    input(
      `{"inputRequests":{"__proto__":{"params":${form},"method":"elicitation\\/create"},"\\u0062":{"method":"roots/list"},` +
        `"constructor":{"method":"sampling/createMessage","params":{"maxTokens":1E2}},"":{"method":"roots/list","params":null}},` +
        '"requestState":"\\u0041\\ud800 é"}',
    ),
    {
      kind: 'input',
      questions: [
        { key: '"__proto__"', method: 'elicitation/create', params: form },
        { key: '"\\u0062"', method: 'roots/list', params: undefined },
        { key: '"constructor"', method: 'sampling/createMessage', params: '{"maxTokens":1E2}' },
        { key: '""', method: 'roots/list', params: undefined },
      ],
      requestState: '"\\u0041\\ud800 é"',
    },
  );
});

t.test('a state alone is a reason to come again', async (t) => {
  for (const requests of ['', '"inputRequests":{},', '"inputRequests":null,'])
    t.same(input(`{${requests}"requestState":"s"}`), { kind: 'input', questions: [], requestState: '"s"' });
});

t.test('what cannot be asked', async (t) => {
  const rows: [result: string, says: RegExp][] = [
    ['{}', /for nothing/],
    ['{"inputRequests":{}}', /for nothing/],
    ['{"inputRequests":[]}', /not an object but array/],
    ['{"inputRequests":{"a":{"method":"roots/list"},"\\u0061":{"method":"roots/list"}}}', /stands twice/],
    [
      '{"inputRequests":{"a":{"method":"elicitation/create","params":{"mode":"form","m\\u006fde":"url"}}}}',
      /params of elicitation\/create stands twice/,
    ],
    ['{"inputRequests":{"a":{"method":"tools/call"}}}', /asks for "tools\/call"/],
    ['{"inputRequests":{"a":{"method":"__proto__"}}}', /asks for "__proto__"/],
    ['{"inputRequests":{"a":{"method":7}}}', /asks for ""/],
    ['{"inputRequests":{"a":null}}', /asks for ""/],
    ['{"inputRequests":{"a":{"method":"roots/list","params":[]}}}', /params of roots\/list .* array/],
    [`{"inputRequests":{"a":{"method":"${'x'.repeat(1_000)}"}}}`, /^.{1,200}$/],
  ];
  for (const [result, says] of rows) {
    t.match(input(result), says);
    t.match(input(result), /^upstream-unintelligible: /);
  }
});

t.test('only three requests may be answered so', async (t) => {
  for (const method of ['tools/call', 'prompts/get', 'resources/read'])
    t.type(input('{"requestState":"s"}', method), 'object', method);
  for (const method of ['tools/list', 'completion/complete', 'tasks/get'])
    t.match(input('{"requestState":"s"}', method), /^upstream-unintelligible: .*asking for input/, method);
});

t.test('the retry: the client’s bytes, the keys, the answers and the state as they came', async (t) => {
  const question = (key: string) => ({ key, method: 'roots/list' as const, params: undefined });
  const retry = (text: string, round: Omit<InputRequired, 'kind'>, answers: string[]): string | undefined => {
    const retried = retryOf(read('request', text), '"r"', { kind: 'input', ...round }, answers);
    return retried?.bytes.toString();
  };
  const round = { questions: [question('"__proto__"'), question('"\\u0062"')], requestState: '"s\\/"' };
  const answers = ['{"n":9007199254740993,"f":1.0,"__proto__":{"a":1,"a":2}}', '{ "roots":[] }'];
  const added = `"inputResponses":{"__proto__":${answers[0]},"\\u0062":${answers[1]}},"requestState":"s\\/"`;
  const rows: [comes: string, goes: string][] = [
    [
      '{"jsonrpc":"2.0", "method":"tools/call", "params":{ "name":"a","arguments":{"z":-0,"k":1,"k":2,"requestState":"mine"} }, "id":7}',
      `{"jsonrpc":"2.0", "method":"tools/call", "params":{ "name":"a","arguments":{"z":-0,"k":1,"k":2,"requestState":"mine"},${added} }, "id":"r"}`,
    ],
    [
      '{"jsonrpc":"2.0","id":7,"method":"tools/call"}',
      `{"jsonrpc":"2.0","id":"r","method":"tools/call","params":{${added}}}`,
    ],
    [
      '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{}}',
      `{"jsonrpc":"2.0","id":"r","method":"tools/call","params":{${added}}}`,
    ],
  ];
  for (const [comes, goes] of rows) t.equal(retry(comes, round, answers), goes);

  const stray =
    '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"inputResponses":{"x":1},"name":"a","requestState":"old"}}';
  const bare = '{"jsonrpc":"2.0","id":"r","method":"tools/call","params":{';
  t.equal(
    retry(stray, { questions: [], requestState: '"new"' }, []),
    `${bare}"name":"a","requestState":"new"}}`,
    'no answers where nothing was asked',
  );
  t.equal(
    retry(stray, { questions: [question('"k"')], requestState: undefined }, ['{}']),
    `${bare}"inputResponses":{"k":{}},"name":"a"}}`,
    'no state where none was given',
  );
  const deep = `${'['.repeat(511)}${']'.repeat(511)}`;
  t.equal(retry(stray, round, ['{}', deep]), undefined, 'not what no reader would take');
});
