import t, { type Test } from 'tap';
import { metadataUrl, protectedResource, rewriteDocument } from '../../../src/upstreams/protected-resource.js';
import { HttpUpstream } from '../../../src/upstreams/http.js';
import {
  answer,
  hang,
  html,
  hugeBody,
  redirect,
  resetBeforeHead,
  scripted,
  type Script,
  type Scripted,
} from '../../upstreams/scripted.js';
import { upstreamConfig } from '../../upstreams/scripted-config.js';
import { refusalOf } from '../era/upstream.js';

const unintelligible = { cell: 'upstream-unintelligible' };
const gateway = new URL('https://gw.example/team/mcp');

async function behind(t: Test, script: Script | readonly Script[], path = '/mcp'): Promise<[HttpUpstream, Scripted]> {
  const server = await scripted(script, { path });
  const timeouts = { connect: 500, firstByte: 300, idle: 60_000 };
  const upstream = new HttpUpstream(upstreamConfig(server.url, { timeouts }));
  t.teardown(async () => {
    await upstream.close();
    await server.close();
  });
  return [upstream, server];
}

t.test('the well-known path is put before the path of the resource', async (t) => {
  const at = '/.well-known/oauth-protected-resource';
  for (const [resource, expected] of [
    ['https://gw.example/team/mcp', `https://gw.example${at}/team/mcp`],
    ['https://gw.example', `https://gw.example${at}`],
    ['https://gw.example/', `https://gw.example${at}`],
    ['http://127.0.0.1:8080/mcp/?a=1#b', `http://127.0.0.1:8080${at}/mcp/?a=1`],
  ] as const)
    t.equal(metadataUrl(new URL(resource)).href, expected);
});

t.test('only the resource is rewritten, and what is signed about it goes', async (t) => {
  const document =
    '{ "resource" :"http://10.0.0.5/mcp","signed_metadata":"eyJ","n":9007199254740993, "s":["\\u00e9"] }\n';
  const expected = '{ "resource" :"https://gw.example/team/mcp","n":9007199254740993, "s":["\\u00e9"] }\n';
  t.equal(rewriteDocument(Buffer.from(document), gateway.href).toString(), expected);
  t.same(JSON.parse(rewriteDocument(Buffer.from('{}'), 'a"b').toString()), { resource: 'a"b' });
  for (const broken of ['', '[]', 'null', '{"resource":', '<html>'])
    t.match(await refusalOf((async () => rewriteDocument(Buffer.from(broken), gateway.href))()), unintelligible);
});

const document = answer({ body: '{"resource":"http://10.0.0.5/mcp","scopes_supported":["a"]}' });
const rewritten = '{"resource":"https://gw.example/team/mcp","scopes_supported":["a"]}';

t.test('the document at the path of the upstream', async (t) => {
  const [upstream, server] = await behind(t, document, '/deep/mcp');
  t.equal((await protectedResource(upstream, gateway))?.toString(), rewritten);
  t.same(
    server.requests.map(({ method, target }) => `${method} ${target}`),
    ['GET /.well-known/oauth-protected-resource/deep/mcp'],
  );
  t.same(server.requests[0]?.all('authorization'), []);
});

t.test('else the one at the root', async (t) => {
  const [upstream, server] = await behind(t, [html(404), document]);
  t.equal((await protectedResource(upstream, gateway))?.toString(), rewritten);
  t.equal(server.requests[1]?.target, '/.well-known/oauth-protected-resource');
});

t.test('else there is none', async (t) => {
  for (const script of [html(404), answer({ status: 401 }), redirect(302, 'http://internal.example/')]) {
    const [upstream, server] = await behind(t, script);
    t.equal(await protectedResource(upstream, gateway), undefined);
    t.equal(server.requests.length, 2);
  }
});

t.test('an upstream that does not say', async (t) => {
  for (const [script, cell] of [
    [answer({ status: 500 }), 'upstream-failed'],
    [html(200), 'upstream-unintelligible'],
    [hugeBody(10_000_000), 'upstream-unintelligible'],
    [hang(), 'upstream-timeout'],
    [resetBeforeHead(), 'upstream-reset'],
  ] as const) {
    const [upstream] = await behind(t, script);
    t.equal((await refusalOf(protectedResource(upstream, gateway))).cell, cell);
  }
});

t.test('who asked has left', async (t) => {
  const [upstream, server] = await behind(t, hang());
  const controller = new AbortController();
  const reason = new Error('gone');
  const asked = protectedResource(upstream, gateway, controller.signal);
  const seen = await server.request(0);
  controller.abort(reason);
  await t.rejects(asked, reason);
  t.ok(await seen.gone);
});
