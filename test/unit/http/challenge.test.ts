import t from 'tap';
import { rewriteChallenge } from '../../../src/http/challenge.js';

const url = 'https://gw.example/.well-known/oauth-protected-resource/team/mcp';
const rows: readonly [name: string, value: string, expected: string][] = [
  ['quoted', 'Bearer resource_metadata="http://10.0.0.5/x"', `Bearer resource_metadata="${url}"`],
  ['a token', 'Bearer resource_metadata=http://10.0.0.5/x, error="a"', `Bearer resource_metadata="${url}", error="a"`],
  [
    'among others',
    'Bearer realm="r", error="invalid_token", resource_metadata="http://u/x", scope="a b"',
    `Bearer realm="r", error="invalid_token", resource_metadata="${url}", scope="a b"`,
  ],
  ['in another case', 'bearer Resource_Metadata = "http://u/x"', `bearer Resource_Metadata = "${url}"`],
  ['without space', 'Bearer realm="r",resource_metadata="http://u/x"', `Bearer realm="r",resource_metadata="${url}"`],
  ['empty', 'Bearer resource_metadata="", scope=a', `Bearer resource_metadata="${url}", scope=a`],
  ['with escapes', 'Bearer resource_metadata="a\\"b, c", x="1"', `Bearer resource_metadata="${url}", x="1"`],
  [
    'in two challenges',
    'Bearer resource_metadata="http://u/1", DPoP algs="ES256", resource_metadata="http://u/2"',
    `Bearer resource_metadata="${url}", DPoP algs="ES256", resource_metadata="${url}"`,
  ],
];

for (const [name, value, expected] of rows) {
  t.test(`resource_metadata ${name}`, async (t) => t.equal(rewriteChallenge(value, url), expected));
}

t.test('everything else is left as it came', async (t) => {
  for (const value of [
    'Bearer',
    'Basic realm="r"',
    'Negotiate YII=',
    'Bearer error_description="set resource_metadata=http://u/x there"',
    'Bearer error_description="a\\" resource_metadata=\\"x"',
    'Bearer x_resource_metadata="http://u/x", resource_metadata_uri="http://u/x"',
    '',
  ])
    t.equal(rewriteChallenge(value, url), value);
});

t.test('dollar signs of a URL are no patterns', async (t) => {
  t.equal(
    rewriteChallenge('Bearer resource_metadata="x"', 'https://a/$&$1'),
    'Bearer resource_metadata="https://a/$&$1"',
  );
});

t.test('long hostile values take no time', async (t) => {
  const started = performance.now();
  for (const value of ['"'.repeat(50_001), `resource_metadata${' '.repeat(50_000)}`, '\\"'.repeat(50_000)])
    rewriteChallenge(value, url);
  t.ok(performance.now() - started < 5_000);
});
