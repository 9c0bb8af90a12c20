/** Nothing that may be a secret comes out, wherever it was put. */
import t from 'tap';
import { describeConfig } from '../../../src/config/load.js';
import { complaints, load } from './files.js';

const secret = 's3cr3t';
const env = { SECRET: secret };
const url = 'http://127.0.0.1:3001/mcp';

const broken = [
  `upstreams: { a: { url: "http://u:${secret}@h/mcp" } }`,
  `upstreams: { a: { url: "http://${secret}@h/mcp" } }`,
  `upstreams: { a: { url: "ftp://h/mcp?key=${secret}" } }`,
  `upstreams: { a: { url: "http://u:${secret}@h:port/mcp" } }`,
  `upstreams: { a: { url: "\${SECRET}" } }`,
  `upstreams: { a: { url: "\${NONE:-ftp://u:${secret}@h}" } }`,
  `upstreams: { a: { url: ${url}, era: "\${SECRET}" } }`,
  `upstreams: { a: { url: ${url}, headers: ${secret} } }`,
  `upstreams: { a: { url: ${url}, headers: [ ${secret} ] } }`,
  `upstreams: { a: { url: ${url}, headers: "X-Key: ${secret}" } }`,
  `upstreams: { a: { url: ${url}, headers: { "X-Key: ${secret}": } } }`,
  `upstreams: { a: { url: ${url}, headers: { X-Key: [ ${secret} ] } } }`,
  `upstreams: { a: { url: ${url}, headers: { X-Key: "${secret}\\n" } } }`,
  `upstreams: { a: { url: ${url}, headers: { X-Key: "\${SECRET}\\n" } } }`,
  `upstreams: { a: { url: ${url}, headers: { Host: ${secret} } } }`,
  `upstreams: { a: { url: ${url}, header: { X-Key: ${secret} } } }`,
  `upstreams: { a: { url: ${url}, headers: { X-Key: "${secret} } } }`,
  `upstreams: { a: { url: ${url}, headers: { X-Key: *${secret} } } }`,
  `upstreams: { a: { url: ${url}, headers: { X-Key: @${secret} } } }`,
  `upstreams: { a: { url: ${url}, headers: { X-Key: } ${secret} } } }`,
  `upstreams:\n  a:\n    url: ${url}\n    headers:\n      X-Key: "${secret}" ${secret}\n`,
  `upstreams:\n  a:\n    url: ${url}\n    headers:\n      X-Key: ${secret}: ${secret}\n`,
  `upstreams:\n  a:\n    url: ${url}\n    headers:\n    X-Key: !${secret} ${secret}\n`,
  `publicUrl: https://h/?${secret}\nupstreams: { a: { url: ${url} } }`,
];

for (const yaml of broken) {
  void t.test(yaml, async (t) => {
    const found = complaints(t, yaml, env);
    t.ok(found.length > 0, 'it is refused');
    t.notMatch(found.join('\n'), secret);
  });
}

void t.test('the description', async (t) => {
  const yaml = `
upstreams:
  a:
    url: ${url}?key=${secret}
    headers: { Authorization: "Bearer \${SECRET}", X-Api-Key: ${secret} }
`;
  const config = load(t, yaml, env);
  t.equal(config.upstreams.get('a')?.headers.get('Authorization'), `Bearer ${secret}`);
  const text = describeConfig(config);
  t.notMatch(text, secret);
  t.match(text, /Authorization: "\*\*\*"/);
  t.match(text, `${url}?***`);
});
