import t from 'tap';
import { initializeResult, readIntroduction } from '../../../../src/translate/legacy-to-modern/map-initialize.js';
import { legacyRevisions, type LegacyRevision } from '../../../../src/wire/meta-keys.js';
import { read } from './messages.js';

const hello = (params: string) =>
  readIntroduction(read('request', `{"jsonrpc":"2.0","id":0,"method":"initialize"${params}}`));
const params = (version: string): string =>
  `,"params":{"protocolVersion":${version},"capabilities":{"x":1.0},"clientInfo":{"name":"a","version":"1"}}`;

t.test('negotiates from the body alone, and only ever a legacy revision', async (t) => {
  for (const revision of legacyRevisions) t.match(hello(params(`"${revision}"`)), { revision });
  for (const asked of ['2026-07-28', '2099-01-01', '1999-01-01', 'DRAFT', ''])
    t.match(hello(params(`"${asked}"`)), { revision: '2025-11-25' }, asked);
});

t.test('keeps what the client said of itself, byte for byte', async (t) => {
  t.same(
    hello(
      ',"params":{"clientInfo":{ "name":"a", "n":9007199254740993 },"protocolVersion":"2025-06-18","capabilities":{"__proto__":{},"f":1.0}}',
    ),
    {
      revision: '2025-06-18',
      clientInfo: '{ "name":"a", "n":9007199254740993 }',
      clientCapabilities: '{"__proto__":{},"f":1.0}',
    },
  );
});

t.test('says what is wrong with other parameters', async (t) => {
  const rows: [string, RegExp][] = [
    ['', /protocolVersion/],
    [',"params":null', /protocolVersion/],
    [params('7'), /protocolVersion/],
    [',"params":{"protocolVersion":"2025-11-25","clientInfo":{}}', /capabilities/],
    [',"params":{"protocolVersion":"2025-11-25","capabilities":[],"clientInfo":{}}', /capabilities/],
    [',"params":{"protocolVersion":"2025-11-25","capabilities":{}}', /clientInfo/],
    [',"params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":"me"}', /clientInfo/],
  ];
  for (const [text, reason] of rows) t.match(hello(text), reason, text);
});

const info = '{"name":"weather", "version":"2.0","icons":[]}';
const meta = `"_meta":{"io.modelcontextprotocol/serverInfo":${info}}`;
const agreed = (discovered: string, revision: LegacyRevision = '2025-11-25'): string =>
  initializeResult(Buffer.from(discovered), revision, 'up').toString();

t.test('is made of the bytes of what was discovered', async (t) => {
  const rows: [name: string, discovered: string, agreed: string][] = [
    [
      'the usual',
      `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"instructions":"Ask \\u0041","ttlMs":0,"cacheScope":"private",${meta}}`,
      `{"capabilities":{"tools":{}},"instructions":"Ask \\u0041","protocolVersion":"2025-11-25","serverInfo":${info}}`,
    ],
    [
      'no name, no capabilities',
      '{"supportedVersions":["2026-07-28"]}',
      '{"protocolVersion":"2025-11-25","serverInfo":{"name":"up","version":"unknown"},"capabilities":{}}',
    ],
    [
      'a name that is none',
      '{"capabilities":null,"_meta":{"io.modelcontextprotocol/serverInfo":"weather"}}',
      '{"capabilities":{},"protocolVersion":"2025-11-25","serverInfo":{"name":"up","version":"unknown"}}',
    ],
    [
      'members of others',
      `{"capabilities":{},"x-vendor":{"n":9007199254740993,"ttlMs":1.0},"_meta":{"a":1.0,"io.modelcontextprotocol/serverInfo":${info}}}`,
      `{"capabilities":{},"x-vendor":{"n":9007199254740993,"ttlMs":1.0},"_meta":{"a":1.0},"protocolVersion":"2025-11-25","serverInfo":${info}}`,
    ],
  ];
  for (const [name, discovered, expected] of rows) t.equal(agreed(discovered), expected, name);
});

t.test('declares what the revision defines', async (t) => {
  const declared = (capabilities: string, revision?: LegacyRevision): string => {
    const text = agreed(`{"capabilities":${capabilities},${meta}}`, revision);
    return text.slice('{"capabilities":'.length, text.indexOf(',"protocolVersion"'));
  };
  const rows: [name: string, discovered: string, declared: string, revision?: LegacyRevision][] = [
    [
      'changes and subscriptions, as the server has them',
      '{"tools":{"listChanged":true},"prompts":{"listChanged":true,"x":1.0},"resources":{"subscribe":true,"listChanged":true}}',
      '{"tools":{"listChanged":true},"prompts":{"listChanged":true,"x":1.0},"resources":{"subscribe":true,"listChanged":true}}',
    ],
    [
      'extensions and what nobody knows go, experiments stay',
      '{"extensions":{"a/b":{}},"experimental":{"listChanged":1.0},"x-vendor":{},"tasks":{},"logging":{"a":1}}',
      '{"experimental":{"listChanged":1.0},"logging":{"a":1}}',
    ],
    ['completions', '{"completions":{},"tools":{}}', '{"completions":{},"tools":{}}', '2025-03-26'],
    ['completions, before there were any', '{"completions":{},"tools":{}}', '{"tools":{}}', '2024-11-05'],
    ['odd values', '{"tools":true,"prompts":null}', '{"tools":true,"prompts":null}'],
    ['nothing', '{"extensions":{}}', '{}'],
  ];
  for (const [name, discovered, expected, revision] of rows) t.equal(declared(discovered, revision), expected, name);
});
