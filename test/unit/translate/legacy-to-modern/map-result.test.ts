/** What a result looks like for each legacy revision, byte for byte, and that the schema of that revision agrees. */
import t from 'tap';
import { mapResult } from '../../../../src/translate/legacy-to-modern/map-answer.js';
import { legacyRevisions } from '../../../../src/wire/meta-keys.js';
import { schemaFault } from '../../../rig/schemas.js';
import { read } from './messages.js';

const types: Readonly<Record<string, string>> = {
  'tools/list': 'ListToolsResult',
  'tools/call': 'CallToolResult',
  'prompts/get': 'GetPromptResult',
};

/** The result that a client of `revision` gets of `result`. */
function mapped(method: string, result: string, revision: string, wrapsOutput = false): string {
  const answer = mapResult(
    read('response', `{"jsonrpc":"2.0","id":1,"result":${result}}`),
    read('request', `{"jsonrpc":"2.0","id":1,"method":"${method}"}`),
    { revision, wrapsOutput },
  );
  if (answer.kind !== 'answer') throw new Error(`it is ${answer.kind}`);
  return /^\{"jsonrpc":"2\.0","id":1,"result":(.*)\}$/s.exec(answer.bytes.toString())?.[1] ?? '';
}

/** The same, which has to be as the schema of the revision says. */
function map(method: string, result: string, revision: string, wrapsOutput = false): string {
  const text = mapped(method, result, revision, wrapsOutput);
  const fault = schemaFault(revision, types[method] ?? method, JSON.parse(text));
  if (fault !== undefined) throw new Error(`${fault}: ${text}`);
  return text;
}

const complete = (members: string): string => `{"resultType":"complete",${members}}`;
const text = '{"type":"text","text":"t","x":1.0}';
const audio = '{"type":"audio","data":"UklGRg==","mimeType":"audio/wav"}';
const link = '{"type":"resource_link","uri":"file:///a","name":"a"}';
const noAudio = `{"type":"text","text":"[audio, audio/wav: this client's revision has no audio content]"}`;
const linkText = '{"type":"text","text":"a\\nfile:///a"}';

t.test('content that came later than the client’s revision is a text in its place', async (t) => {
  const rows: [since: string, comes: string, older: string][] = [
    ['2024-11-05', text, ''],
    ['2024-11-05', '{"type":"image","data":"aQ==","mimeType":"image/png"}', ''],
    ['2024-11-05', '{"type":"resource","resource":{"uri":"file:///a","text":"t","_meta":{}}}', ''],
    ['2025-03-26', audio, noAudio],
    ['2025-06-18', link, linkText],
    [
      '2025-06-18',
      '{"annotations":{"priority":0.50},"description":"what \\"it\\" is","title":"A","name":"a","uri":"file:///a","type":"resource_link"}',
      '{"type":"text","text":"A\\nfile:///a\\nwhat \\"it\\" is","annotations":{"priority":0.50}}',
    ],
  ];
  for (const revision of legacyRevisions) {
    for (const [since, comes, older] of rows) {
      const goes = revision < since ? older : comes;
      const name = `${comes} on ${revision}`;
      t.equal(
        map('tools/call', complete(`"content":[${text} , ${comes},${comes}]`), revision),
        `{"content":[${text} , ${goes},${goes}]}`,
        name,
      );
      const prompt = (block: string): string => `"messages":[{"role":"user","content":${block} }],"x":1e2`;
      t.equal(map('prompts/get', complete(prompt(comes)), revision), `{${prompt(goes)}}`, name);
    }
  }
});

t.test('content of a type that no revision knows is nobody’s to judge', async (t) => {
  const result = '{"content":[{"type":"unheard-of"},{"type":7},{},null,7]}';
  t.equal(mapped('tools/call', result, '2024-11-05'), result);
});

t.test('structured content is an object, and a text says the same', async (t) => {
  const says = (json: string): string => `{"type":"text","text":${JSON.stringify(json)}}`;
  const rows: [comes: string, goes: string][] = [
    [
      '"content":[{T}],"structuredContent":[1,9007199254740993]',
      '"content":[{T}],"structuredContent":{"result":[1,9007199254740993]}',
    ],
    ['"structuredContent":"s","content":[]', `"structuredContent":{"result":"s"},"content":[${says('"s"')}]`],
    ['"content":[ ],"structuredContent":null', `"content":[${says('null')} ],"structuredContent":{"result":null}`],
    ['"content":[{L}],"structuredContent":1.0', `"content":[{L},${says('1.0')}],"structuredContent":{"result":1.0}`],
    ['"structuredContent":[]', `"structuredContent":{"result":[]},"content":[${says('[]')}]`],
    [
      '"structuredContent":false,"_meta":{"io.modelcontextprotocol/serverInfo":{}}',
      `"structuredContent":{"result":false},"content":[${says('false')}]`,
    ],
    [
      '"content":[{T}],"structuredContent":{"result":1},"isError":true',
      '"content":[{T}],"structuredContent":{"result":1},"isError":true',
    ],
    ['"content":[{T}]', '"content":[{T}]'],
  ];
  const fill = (line: string): string => line.replace('{T}', text).replace('{L}', link);
  for (const revision of ['2025-06-18', '2025-11-25'])
    for (const [comes, goes] of rows) {
      t.equal(map('tools/call', complete(fill(comes)), revision), `{${fill(goes)}}`, `${comes} on ${revision}`);
      t.equal(
        map('tools/call', `{${fill(comes)},"resultType":"complete"}`, revision),
        `{${fill(goes)}}`,
        `${comes}, the other way round`,
      );
    }
  const wrapped = map('tools/call', complete(`"content":[${text}],"structuredContent":{"a":1.0}`), '2025-11-25', true);
  t.equal(
    wrapped,
    `{"content":[${text}],"structuredContent":{"result":{"a":1.0}}}`,
    'an object too, if the list said so',
  );
  t.equal(map('tools/call', complete('"content":[]'), '2025-11-25', true), '{"content":[]}');

  const object = complete('"structuredContent":{"a":1.0},"content":[]');
  t.equal(map('tools/call', object, '2025-06-18'), '{"structuredContent":{"a":1.0},"content":[]}');
  for (const revision of ['2024-11-05', '2025-03-26'])
    t.equal(
      map('tools/call', object, revision),
      `{"structuredContent":{"a":1.0},"content":[${says('{"a":1.0}')}]}`,
      `${revision} does not know it, so a text has to say it`,
    );
});

t.test('an output schema describes an object', async (t) => {
  const tool = (schema: string): string =>
    `"tools":[ {"name":"a","inputSchema":{"type":"object"},"outputSchema":${schema}} ]`;
  const inner = '"type":"object","properties":{"result":';
  const end = '},"required":["result"]}';
  const rows: [comes: string, goes: string][] = [
    ['{"type":"object","properties":{"a":{"$ref":"#/x"}}}', '{"type":"object","properties":{"a":{"$ref":"#/x"}}}'],
    ['{"type":"array","minItems":1.0}', `{${inner}{"type":"array","minItems":1.0}${end}`],
    ['{ }', `{${inner}{ }${end}`],
    ['true', `{${inner}{}${end}`],
    ['false', `{${inner}{"not":{}}${end}`],
    ['{"type":["object","null"]}', `{${inner}{"type":["object","null"]}${end}`],
    ['{"$schema":"s","type":"string"}', `{"$schema":"s",${inner}{"type":"string"}${end}`],
    [
      '{"items":{"$ref":"#/$defs/a"},"$defs":{"a":{"anyOf":[{"$ref":"#"},{"$ref":"#a"},{"$ref":"other#/x"}],"default":{"$ref":"#"}}}}',
      `{${inner}{"items":{"$ref":"#/properties/result/$defs/a"},"$defs":{"a":{"anyOf":[{"$ref":"#/properties/result"},{"$ref":"#a"},{"$ref":"other#/x"}],"default":{"$ref":"#"}}}}${end}`,
    ],
    [
      '{"$id":"urn:x","$schema":"s","items":{"$ref":"#/$defs/a"}}',
      `{"$schema":"s",${inner}{"$id":"urn:x","$schema":"s","items":{"$ref":"#/$defs/a"}}${end}`,
    ],
    ['{"items":{"$id":"urn:x","items":{"$ref":"#"}}}', `{${inner}{"items":{"$id":"urn:x","items":{"$ref":"#"}}}${end}`],
  ];
  for (const revision of legacyRevisions)
    for (const [comes, goes] of rows)
      t.equal(map('tools/list', complete(tool(comes)), revision), `{${tool(goes)}}`, `${comes} on ${revision}`);
});

t.test('the schema of a property is an object', async (t) => {
  const schema = (any: string, none: string): string =>
    `{"type":"object","properties":{"a":${any},"b" : ${none},"c":{"additionalProperties":true}},"additionalProperties":false}`;
  const tool = (inner: string): string => `"tools":[{"name":"a","inputSchema":${inner},"outputSchema":${inner}}]`;
  for (const revision of legacyRevisions)
    t.equal(
      map('tools/list', complete(tool(schema('true', 'false'))), revision),
      `{${tool(schema('{}', '{"not":{}}'))}}`,
      revision,
    );
});

t.test('what an older client lets pass is left as it is', async (t) => {
  const tool =
    '"tools":[{"title":"A","name":"a","icons":[{"src":"data:,"}],"execution":{"taskSupport":"optional"},"annotations":{"readOnlyHint":true},' +
    '"inputSchema":{"type":"object"},"outputSchema":{"type":"object"},"_meta":{"a":1},"x-vendor":{"a":[1,null]}}]';
  for (const revision of legacyRevisions) t.equal(map('tools/list', complete(tool), revision), `{${tool}}`, revision);
});
