import t from 'tap';
import type { IncomingMessage } from 'node:http';
import { forwardedHeaders, isHopByHop, nominated, without } from '../../../src/http/headers.js';

/** A request with these raw headers; the functions read nothing else of it. */
function request(rawHeaders: string[], remoteAddress = '10.1.2.3', more = {}): IncomingMessage {
  return { rawHeaders, socket: { remoteAddress, ...more } } as unknown as IncomingMessage;
}

t.test('hop-by-hop fields are known in any case, and nothing else is taken for one', async (t) => {
  for (const name of [
    'Connection',
    'keep-alive',
    'TE',
    'Trailer',
    'UPGRADE',
    'Transfer-Encoding',
    'proxy-connection',
  ]) {
    t.ok(isHopByHop(name), name);
  }
  for (const name of ['Proxy-Authorization', 'Proxy-Authenticate']) t.ok(isHopByHop(name), name);
  for (const name of ['Set-Cookie', 'user-agent', 'DNT', 'X-Accel-Buffering', 'Content-Encoding', '', 'id']) {
    t.notOk(isHopByHop(name), name);
  }
});

t.test('what Connection nominates', async (t) => {
  for (const value of ['keep-alive', 'close', 'Keep-Alive', ' close ,', ''])
    t.equal(nominated(value), undefined, value);
  t.same([...(nominated('keep-alive, Mcp-Session-Id ,x-a') ?? [])], ['mcp-session-id', 'x-a']);
});

t.test('a request goes on as it came, without what is for this hop', async (t) => {
  const out = forwardedHeaders(
    request([
      'Host', 'gw.example:8080',
      'Connection', 'keep-alive, X-Private',
      'Keep-Alive', 'timeout=5',
      'X-Private', '1',
      'TE', 'trailers',
      'Upgrade', 'h2c',
      'Transfer-Encoding', 'chunked',
      'Proxy-Authorization', 'Basic x',
      'Expect', '100-continue',
      'Content-Length', '5',
      'ACCEPT', 'application/json',
      'Accept', 'text/event-stream',
      'X-Odd', 'caf\u00e9\ttab',
    ]),
    false,
  ); // prettier-ignore
  t.same(out, [
    'ACCEPT', 'application/json',
    'Accept', 'text/event-stream',
    'X-Odd', 'caf\u00e9\ttab',
    'X-Forwarded-For', '10.1.2.3',
    'X-Forwarded-Proto', 'http',
    'X-Forwarded-Host', 'gw.example:8080',
  ]); // prettier-ignore
});

t.test('the length of a streamed body stays', async (t) => {
  t.same(forwardedHeaders(request(['content-length', '5']), true).slice(0, 2), ['content-length', '5']);
});

t.test('this hop is appended to those before it', async (t) => {
  const out = forwardedHeaders(
    request(
      [
        'x-forwarded-for', '1.1.1.1',
        'X-Forwarded-For', '2.2.2.2',
        'x-forwarded-proto', 'http',
        'x-forwarded-host', 'public.example',
        'forwarded', 'for=1.1.1.1',
        'host', 'gw:1',
      ],
      '2001:db8::1',
      { encrypted: true },
    ),
    false,
  ); // prettier-ignore
  t.same(out, [
    'x-forwarded-proto', 'http',
    'x-forwarded-host', 'public.example',
    'X-Forwarded-For', '1.1.1.1, 2.2.2.2, 2001:db8::1',
    'Forwarded', 'for=1.1.1.1, for="[2001:db8::1]";proto=https;host="gw:1"',
  ]); // prettier-ignore
});

t.test('an IPv4 client behind an IPv6 socket keeps its plain address', async (t) => {
  t.same(forwardedHeaders(request([], '::ffff:127.0.0.1'), false).slice(0, 2), ['X-Forwarded-For', '127.0.0.1']);
});

t.test('without', async (t) => {
  t.same(without(['A', '1', 'b', '2', 'a', '3'], new Set(['a'])), ['b', '2']);
});
