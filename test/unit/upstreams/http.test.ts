import t, { type Test } from 'tap';
import { getEventListeners } from 'node:events';
import { RefusalError } from '../../../src/errors.js';
import { HttpUpstream, type UpstreamRequest } from '../../../src/upstreams/http.js';
import {
  answer,
  halfClose,
  hang,
  lyingLength,
  redirect,
  refusing,
  resetBeforeHead,
  scripted,
  silentStream,
  type Script,
} from '../../upstreams/scripted.js';
import { upstreamConfig } from '../../upstreams/scripted-config.js';

const post: UpstreamRequest = {
  method: 'POST',
  headers: { 'content-type': 'application/json', authorization: 'Bearer client' },
  body: Buffer.from('{"jsonrpc":"2.0","id":1,"method":"ping"}'),
  kind: 'call',
};

/** An upstream that plays `script`, and the HttpUpstream in front of it; both end with the test. */
async function pair(t: Test, script: Script | Script[], config: Parameters<typeof upstreamConfig>[1] = {}) {
  const server = await scripted(script);
  const upstream = new HttpUpstream(upstreamConfig(server.url, config));
  t.teardown(async () => {
    await upstream.close();
    await server.close();
  });
  return { server, upstream };
}

const cellOf = (error: unknown) => (error instanceof RefusalError ? error.refusal.cell : error);

t.test('an answer arrives whole, whatever its status', async (t) => {
  const { server, upstream } = await pair(t, answer({ status: 404, body: '{"a":1.0}' }));
  const { status, headers, body } = await upstream.request(post);
  t.equal(status, 404);
  t.equal(headers['content-type'], 'application/json');
  t.equal(Buffer.concat(await body.toArray()).toString(), '{"a":1.0}');
  t.same(server.requests[0]?.body, post.body);
  t.same(server.requests[0]?.all('host'), [server.url.host]);
});

t.test('connections are kept and used again', async (t) => {
  const { server, upstream } = await pair(t, answer({ body: '{}' }));
  for (let n = 0; n < 5; n++) (await upstream.request(post)).body.resume();
  t.equal(server.requests.length, 5);
  t.ok(server.connections <= 2, `${server.connections} connections`);
});

t.test('the query of the client is joined to the one of the URL', async (t) => {
  const server = await scripted(answer({}), { path: '/mcp?tenant=7' });
  const upstream = new HttpUpstream(upstreamConfig(server.url));
  t.teardown(async () => {
    await upstream.close();
    await server.close();
  });
  for (const search of ['?a=1', undefined, '?']) (await upstream.request({ ...post, search })).body.resume();
  t.same(
    server.requests.map((r) => r.target),
    ['/mcp?tenant=7&a=1', '/mcp?tenant=7', '/mcp?tenant=7'],
  );
});

t.test('configured headers win over the client’s, in any case and form', async (t) => {
  const { server, upstream } = await pair(t, answer({}), {
    headers: new Map([
      ['Authorization', 'Bearer own'],
      ['X-Api-Key', 'k'],
    ]),
  });
  t.ok(upstream.hasOwnAuthorization);
  (await upstream.request(post)).body.resume();
  (
    await upstream.request({ ...post, headers: ['AUTHORIZATION', 'Bearer client', 'x-api-key', 'c', 'A', 'b'] })
  ).body.resume();
  for (const seen of server.requests) {
    t.same(seen.all('authorization'), ['Bearer own']);
    t.same(seen.all('x-api-key'), ['k']);
  }
  t.same(server.requests[1]?.all('a'), ['b']);
});

t.test('without a configured credential the client’s goes up', async (t) => {
  const { server, upstream } = await pair(t, answer({}), { headers: new Map([['X-Api-Key', 'k']]) });
  t.notOk(upstream.hasOwnAuthorization);
  (await upstream.request(post)).body.resume();
  t.same(server.requests[0]?.all('authorization'), ['Bearer client']);
});

t.test('redirects are not followed', async (t) => {
  const { server, upstream } = await pair(t, redirect(307, 'http://127.0.0.1:1/elsewhere'));
  const { status, body } = await upstream.request(post);
  body.resume();
  t.equal(status, 307);
  t.equal(server.requests.length, 1);
});

for (const [name, script] of [
  ['a reset before the head', resetBeforeHead()],
  ['a FIN before the head', halfClose()],
] as const) {
  t.test(`${name} is upstream-reset, and the POST is not sent again`, async (t) => {
    const { server, upstream } = await pair(t, [script, answer({})]);
    const error = await upstream.request(post).catch((e: unknown) => e);
    t.equal(cellOf(error), 'upstream-reset');
    t.equal(server.requests.length, 1);
    t.equal((error as RefusalError).refusal.id, undefined);
  });
}

t.test('nobody listening is upstream-unreachable', async (t) => {
  const upstream = new HttpUpstream(upstreamConfig(await refusing()));
  t.teardown(() => upstream.close());
  t.equal(cellOf(await upstream.request(post).catch((e: unknown) => e)), 'upstream-unreachable');
});

t.test('a name that does not resolve is upstream-unreachable', async (t) => {
  const upstream = new HttpUpstream(upstreamConfig(new URL('http://nowhere.invalid/mcp')));
  t.teardown(() => upstream.close());
  t.equal(cellOf(await upstream.request(post).catch((e: unknown) => e)), 'upstream-unreachable');
});

t.test('no head in time is upstream-timeout', async (t) => {
  const { server, upstream } = await pair(t, hang(), { timeouts: { connect: 2000, firstByte: 200, idle: 1000 } });
  t.equal(cellOf(await upstream.request(post).catch((e: unknown) => e)), 'upstream-timeout');
  await server.requests[0]?.gone;
  t.equal(cellOf(await upstream.request(post, { firstByte: 100 }).catch((e: unknown) => e)), 'upstream-timeout');
  t.equal(server.requests.length, 2);
});

t.test('a body that stops is an error of the body after idle, never for a stream', async (t) => {
  const { upstream } = await pair(t, silentStream(), { timeouts: { connect: 2000, firstByte: 1000, idle: 200 } });
  const call = await upstream.request(post);
  const stream = await upstream.request({ ...post, method: 'GET', body: null, kind: 'stream' });
  t.equal(upstream.openStreams, 1);
  await t.rejects(call.body.toArray(), { code: 'UND_ERR_BODY_TIMEOUT' });
  t.notOk(stream.body.destroyed);
  stream.body.destroy();
});

t.test('a body shorter than promised is an error of the body', async (t) => {
  const { upstream } = await pair(t, lyingLength(100, '{"short":'));
  const { body } = await upstream.request(post);
  await t.rejects(body.toArray());
});

t.test('an abort before, during and after', async (t) => {
  const { server, upstream } = await pair(t, [hang(), silentStream(), answer({})]);
  const reason = new Error('the client left');

  await t.rejects(upstream.request(post, { signal: AbortSignal.abort(reason) }), reason);
  t.equal(server.requests.length, 0, 'nothing was sent');

  const during = new AbortController();
  const waiting = upstream.request(post, { signal: during.signal });
  const first = await server.request(0);
  during.abort(reason);
  await t.rejects(waiting, reason);
  await first.gone;
  t.equal(getEventListeners(during.signal, 'abort').length, 0);

  const after = new AbortController();
  const { body } = await upstream.request(post, { signal: after.signal });
  after.abort(reason);
  await t.rejects(body.toArray(), reason);
  await server.requests[1]?.gone;

  const unused = new AbortController();
  await (await upstream.request(post, { signal: unused.signal })).body.toArray();
  await new Promise(setImmediate);
  t.equal(getEventListeners(unused.signal, 'abort').length, 0, 'no listener is left');
});

t.test('a body that nobody reads to its end cancels its request', async (t) => {
  const { server, upstream } = await pair(t, silentStream());
  const { body } = await upstream.request(post);
  body.destroy();
  await server.requests[0]?.gone;
});

t.test('closing breaks off what is open', async (t) => {
  const { upstream } = await pair(t, hang());
  const waiting = upstream.request(post).catch(cellOf);
  await upstream.close();
  t.equal(await waiting, 'upstream-unreachable');
  t.equal(await upstream.request(post).catch(cellOf), 'upstream-unreachable');
});
