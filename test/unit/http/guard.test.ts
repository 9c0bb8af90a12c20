import t from 'tap';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createGuard, type GuardRules } from '../../../src/http/guard.js';
import { rawClient } from '../../upstreams/scripted.js';

const local: GuardRules = { hosts: [], origins: [], publicUrl: undefined, listenHost: '127.0.0.1' };
const open: GuardRules = { ...local, listenHost: '0.0.0.0' };
const configured: GuardRules = {
  listenHost: '0.0.0.0',
  hosts: ['gw.example', 'Admin.Example:8443', 'tls.example:443', '[2001:DB8::1]', '10.0.0.5'],
  origins: ['https://app.example', 'https://App2.example:443', 'chrome-extension://AbC', 'null'],
  publicUrl: new URL('https://public.example/team/mcp'),
};

/** The cell of the refusal, or `ok`. */
function judge(rules: GuardRules, ...rawHeaders: string[]): string {
  return createGuard(rules).check({ rawHeaders })?.cell ?? 'ok';
}

const hosts: readonly [rules: GuardRules, host: string, outcome: 'ok' | 'host-not-allowed'][] = [
  // A gateway for this machine alone.
  [local, 'localhost', 'ok'],
  [local, 'LOCALHOST:8080', 'ok'],
  [local, '127.0.0.1:8080', 'ok'],
  [local, '[::1]', 'ok'],
  [local, '[::1]:8080', 'ok'],
  [local, '[0:0:0:0:0:0:0:1]:8080', 'ok'],
  [local, '127.0.0.1.evil.test', 'host-not-allowed'],
  [local, '127.0.0.1.evil.test:8080', 'host-not-allowed'],
  [local, 'localhost.evil.test', 'host-not-allowed'],
  [local, 'evil.test', 'host-not-allowed'],
  [local, 'localhost@evil.test', 'host-not-allowed'],
  [local, 'evil.test/localhost', 'host-not-allowed'],
  [local, 'localhost:', 'host-not-allowed'],
  [local, 'localhost:80:80', 'host-not-allowed'],
  [local, 'localhost:808080', 'host-not-allowed'],
  [local, '::1', 'host-not-allowed'],
  [local, '[::1', 'host-not-allowed'],
  [local, '[::2]', 'host-not-allowed'],
  [local, '[:::]', 'host-not-allowed'],
  [local, '', 'host-not-allowed'],
  [local, ':8080', 'host-not-allowed'],
  // A gateway for all, without configuration: its own machine, and nobody else.
  [open, 'localhost:8080', 'ok'],
  [open, '[::1]:8080', 'ok'],
  [open, '0.0.0.0:8080', 'host-not-allowed'],
  [open, 'gw.example', 'host-not-allowed'],
  [{ ...open, listenHost: '::' }, '[::]:8080', 'host-not-allowed'],
  // A gateway on one address can be called by it.
  [{ ...open, listenHost: '192.168.1.5' }, '192.168.1.5:8080', 'ok'],
  [{ ...open, listenHost: '192.168.1.5' }, '192.168.1.6:8080', 'host-not-allowed'],
  [{ ...open, listenHost: 'fe80:0:0:0::1' }, '[fe80::1]:8080', 'ok'],
  // A configured one.
  [configured, 'gw.example', 'ok'],
  [configured, 'GW.example', 'ok'],
  [configured, 'gw.example:443', 'ok'],
  [configured, 'gw.example:8080', 'ok'],
  [configured, 'sub.gw.example', 'host-not-allowed'],
  [configured, 'gw.example.', 'host-not-allowed'],
  [configured, 'admin.example:8443', 'ok'],
  [configured, 'admin.example', 'host-not-allowed'],
  [configured, 'admin.example:8444', 'host-not-allowed'],
  [configured, 'tls.example', 'ok'],
  [configured, 'tls.example:443', 'ok'],
  [configured, 'tls.example:8443', 'host-not-allowed'],
  [configured, '[2001:db8:0::1]:9', 'ok'],
  [configured, '[2001:db8::2]', 'host-not-allowed'],
  [configured, '10.0.0.5:3000', 'ok'],
  [configured, 'public.example', 'ok'],
  [configured, 'public.example:443', 'ok'],
  [configured, 'localhost', 'ok'],
  [{ ...open, hosts: ['*'] }, 'whatever.example:1', 'ok'],
];

for (const [rules, host, outcome] of hosts) {
  t.test(`Host ${host} on ${rules.listenHost} is ${outcome}`, async (t) => {
    t.equal(judge(rules, 'Host', host), outcome);
    t.equal(judge(rules, 'X-Other', '1', 'hOST', host, 'Accept', '*/*'), outcome);
  });
}

const origins: readonly [rules: GuardRules, origin: string, outcome: 'ok' | 'origin-not-allowed'][] = [
  [local, 'http://localhost', 'ok'],
  [local, 'http://localhost:6274', 'ok'],
  [local, 'https://127.0.0.1:1', 'ok'],
  [local, 'http://[::1]:5173', 'ok'],
  [local, 'http://127.0.0.1.evil.test', 'origin-not-allowed'],
  [local, 'http://localhost.evil.test:80', 'origin-not-allowed'],
  [local, 'http://localhost@evil.test', 'origin-not-allowed'],
  [local, 'http://evil.test/localhost', 'origin-not-allowed'],
  [local, 'http://evil.test', 'origin-not-allowed'],
  [local, 'file://localhost', 'origin-not-allowed'],
  [local, 'null', 'origin-not-allowed'],
  [local, '', 'origin-not-allowed'],
  [local, 'http://localhost, http://evil.test', 'origin-not-allowed'],
  [{ ...local, listenHost: '::1' }, 'http://localhost:6274', 'ok'],
  [{ ...local, listenHost: 'localhost' }, 'http://localhost:6274', 'ok'],
  [{ ...local, listenHost: '127.0.0.2' }, 'http://localhost:6274', 'ok'],
  // Who can be called from elsewhere does not trust whatever page some client's machine serves to itself.
  [open, 'http://localhost:6274', 'origin-not-allowed'],
  [open, 'http://127.0.0.1', 'origin-not-allowed'],
  [{ ...open, origins: ['http://localhost:6274'] }, 'http://localhost:6274', 'ok'],
  [{ ...open, origins: ['http://localhost:6274'] }, 'http://localhost:6275', 'origin-not-allowed'],
  [configured, 'https://app.example', 'ok'],
  [configured, 'HTTPS://APP.example', 'ok'],
  [configured, 'https://app.example:443', 'ok'],
  [configured, 'https://app.example:8443', 'origin-not-allowed'],
  [configured, 'http://app.example', 'origin-not-allowed'],
  [configured, 'https://app2.example', 'ok'],
  [configured, 'https://sub.app.example', 'origin-not-allowed'],
  [configured, 'https://public.example', 'ok'],
  [configured, 'https://public.example/team/mcp', 'origin-not-allowed'],
  [configured, 'chrome-extension://abc', 'ok'],
  [configured, 'null', 'ok'],
  [{ ...open, origins: ['*'] }, 'https://whatever.example', 'ok'],
  [{ ...open, origins: ['*'] }, 'null', 'ok'],
];

for (const [rules, origin, outcome] of origins) {
  t.test(`Origin ${origin} on ${rules.listenHost} is ${outcome}`, async (t) => {
    t.equal(judge(rules, 'Host', 'localhost', 'Origin', origin), outcome);
    t.equal(createGuard(rules).allowsOrigin(origin), outcome === 'ok');
  });
}

t.test('what is missing and what stands twice', async (t) => {
  const host = ['Host', 'localhost'];
  const origin = ['Origin', 'http://localhost'];
  t.equal(judge(local, ...host), 'ok', 'no page, no Origin');
  t.equal(judge(local), 'host-not-allowed');
  t.equal(judge(local, ...host, ...host), 'bad-header');
  t.equal(judge(local, ...host, 'HOST', 'evil.test'), 'bad-header');
  t.equal(judge(local, ...host, ...origin, ...origin), 'bad-header');
  t.equal(judge({ ...local, hosts: ['*'], origins: ['*'] }, ...host, ...host, ...origin), 'bad-header');
  t.equal(judge(local, ...host, ...origin, 'origin', 'http://evil.test'), 'bad-header');
});

t.test('the Origin comes first', async (t) => {
  t.equal(judge(local, 'Host', 'evil.test', 'Origin', 'http://evil.test'), 'origin-not-allowed');
  t.equal(judge(local, 'Host', 'a', 'Host', 'b', 'Origin', 'http://evil.test'), 'origin-not-allowed');
  t.equal(judge(local, 'Host', 'evil.test', 'Origin', 'http://localhost'), 'host-not-allowed');
});

t.test('two lines on a real socket are seen as two', async (t) => {
  const guard = createGuard(local);
  const server = createServer((request, response) => response.end(guard.check(request)?.cell ?? 'ok'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  const ask = async (lines: string): Promise<string> => {
    const socket = await rawClient(url);
    socket.end(`GET / HTTP/1.1\r\nConnection: close\r\n${lines}\r\n`);
    let text = '';
    for await (const chunk of socket) text += String(chunk);
    return text.slice(text.indexOf('\r\n\r\n'));
  };
  t.match(await ask('Host: localhost\r\n'), /ok/);
  t.match(await ask('Host: localhost\r\nHost: evil.test\r\n'), /bad-header/);
  t.match(await ask('Host: localhost\r\nOrigin: http://localhost\r\nOrigin: http://evil.test\r\n'), /bad-header/);
});
