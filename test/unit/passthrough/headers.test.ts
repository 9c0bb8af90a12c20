import t from 'tap';
import { once } from 'node:events';
import { answer, rawClient } from '../../upstreams/scripted.js';
import { fetchRaw, gateway } from './gateway.js';

t.test('what goes up: end-to-end fields as they came, Host of the upstream, this hop', async (t) => {
  const g = await gateway(t, answer({}));
  const socket = await rawClient(g.url);
  socket.write(
    Buffer.from(
      'POST /mcp HTTP/1.1\r\nHost: public.example\r\nContent-Length: 2\r\nConnection: close, X-Mine\r\nX-Mine: 1\r\n' +
        'TE: trailers\r\nUpgrade: h2c\r\nProxy-Authorization: Basic eA==\r\nKeep-Alive: timeout=1\r\n' +
        'Authorization: Bearer a\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Name: caf\u00e9\r\nX-Two: 1\r\nX-Two: 2\r\n\r\n{}',
      'latin1',
    ),
  );
  const seen = await g.upstream.request(0);
  const gone = ['x-mine', 'te', 'upgrade', 'proxy-authorization', 'keep-alive', 'transfer-encoding'];
  for (const name of gone) t.same(seen.all(name), [], name);
  t.same(seen.all('host'), [g.upstream.url.host]);
  t.same(seen.all('connection'), ['keep-alive']);
  t.same(seen.all('authorization'), ['Bearer a']);
  t.same(seen.all('mcp-protocol-version'), ['2026-07-28']);
  t.same(seen.all('mcp-name'), ['caf\u00e9']);
  t.same(seen.all('x-two'), ['1', '2']);
  t.same(seen.all('x-forwarded-for'), ['127.0.0.1']);
  t.same(seen.all('x-forwarded-host'), ['public.example']);
  socket.destroy();
});

t.test('what comes down: end-to-end fields as they came, one session id, our CORS', async (t) => {
  const headers = [
    'Content-Type', 'application/json; charset=utf-8',
    'Mcp-Session-Id', 'abc',
    'mcp-session-id', 'abc',
    'Connection', 'keep-alive',
    'Keep-Alive', 'timeout=77',
    'Proxy-Authenticate', 'Basic',
    'Trailer', 'X-T',
    'Set-Cookie', 'a=1',
    'Set-Cookie', 'b=2',
    'X-Odd', 'caf\u00e9  two',
    'Date', 'Thu, 01 Jan 1970 00:00:00 GMT',
    'Access-Control-Allow-Origin', 'http://internal',
    'Access-Control-Expose-Headers', 'X-Odd',
  ]; // prettier-ignore
  const always = { 'access-control-allow-origin': 'https://app.example', vary: 'origin' };
  const g = await gateway(t, answer({ headers, body: '{}' }), { always });
  const got = await fetchRaw(g.url, '{}');
  t.same(got.all('mcp-session-id'), ['abc']);
  t.same(got.all('content-type'), ['application/json; charset=utf-8']);
  t.same(got.all('set-cookie'), ['a=1', 'b=2']);
  t.same(got.all('x-odd'), ['caf\u00e9  two']);
  t.same(got.all('date'), ['Thu, 01 Jan 1970 00:00:00 GMT']);
  t.same(got.all('access-control-allow-origin'), ['https://app.example']);
  t.same(got.all('access-control-expose-headers'), []);
  t.same(got.all('vary'), ['origin']);
  for (const name of ['proxy-authenticate', 'trailer']) t.same(got.all(name), [], name);
  t.not(got.all('keep-alive')[0], 'timeout=77');

  const plain = await gateway(t, answer({ headers, body: '{}' }));
  t.same((await fetchRaw(plain.url, '{}')).all('access-control-allow-origin'), ['http://internal']);
});

t.test('the edge has the last word on what goes up', async (t) => {
  const g = await gateway(t, answer({}), { options: { headers: (headers) => [...headers, 'X-Edge', '1'] } });
  await fetchRaw(g.url, '{}');
  t.same(g.upstream.requests[0]?.all('x-edge'), ['1']);
});

t.test('requests that come in one packet are answered in order', async (t) => {
  const g = await gateway(t, (request, socket) => answer({ body: request.body })(request, socket));
  const socket = await rawClient(g.url);
  const one = (n: number) => `POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Length: 7\r\n\r\n{"n":${n}}`;
  socket.write(one(1) + one(2) + one(3));
  let text = '';
  while ((text.match(/"n":/g) ?? []).length < 3) text += String((await once(socket, 'data'))[0]);
  t.same(text.match(/"n":\d/g), ['"n":1', '"n":2', '"n":3']);
  socket.destroy();
});
