import { createServer } from 'node:net';
import { request } from 'undici';
import t, { type Test } from 'tap';
import { startAdmin, type Admin, type Readiness } from '../../../src/admin.js';
import { createMetrics } from '../../../src/metrics/prometheus.js';

async function started(t: Test, readiness: Readiness = { ready: true, waitingFor: [] }): Promise<Admin> {
  const metrics = createMetrics({ clientSeries: 5 });
  const admin = await startAdmin({ host: '127.0.0.1', port: 0, metrics, ready: () => readiness });
  t.teardown(() => admin.close());
  return admin;
}

void t.test('/metrics is the Prometheus text format', async (t) => {
  const admin = await started(t);
  const answer = await fetch(`${admin.address}/metrics`);
  t.equal(answer.status, 200);
  t.equal(answer.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8');
  t.match(await answer.text(), /^mcp_resilience_build_info\{/m);
});

void t.test('/healthz answers as long as the process serves, ready or not', async (t) => {
  const admin = await started(t, { ready: false, waitingFor: ['weather'] });
  const answer = await fetch(`${admin.address}/healthz`);
  t.equal(answer.status, 200);
  t.equal(await answer.text(), 'ok\n');
});

void t.test('/readyz says what it waits for, and asks anew every time', async (t) => {
  const readiness = { ready: false, waitingFor: ['weather', 'files'] };
  const admin = await started(t, readiness);
  const before = await fetch(`${admin.address}/readyz`);
  t.equal(before.status, 503);
  t.equal(before.headers.get('cache-control'), 'no-store');
  t.same(await before.json(), { ready: false, waitingFor: ['weather', 'files'] });

  readiness.ready = true;
  readiness.waitingFor = [];
  const after = await fetch(`${admin.address}/readyz`);
  t.equal(after.status, 200);
  t.same(await after.json(), { ready: true, waitingFor: [] });
});

void t.test('/ names the pages, anything else is 404', async (t) => {
  const admin = await started(t);
  t.match(await (await fetch(admin.address)).text(), '/metrics /healthz /readyz');
  for (const path of ['/metricz', '/metrics/x', '//', '/%2e%2e/metrics/']) {
    const answer = await request(admin.address + path);
    t.equal(answer.statusCode, 404, path);
    await answer.body.dump();
  }
});

void t.test('HEAD has the head of GET and no body', async (t) => {
  const admin = await started(t, { ready: false, waitingFor: ['weather'] });
  for (const [path, status] of [
    ['/', 200],
    ['/metrics', 200],
    ['/healthz', 200],
    ['/readyz', 503],
  ] as const) {
    const answer = await fetch(admin.address + path, { method: 'HEAD' });
    t.equal(answer.status, status, path);
    t.equal(await answer.text(), '');
  }
});

void t.test('other methods are refused everywhere, whatever their body', async (t) => {
  const admin = await started(t);
  for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH']) {
    for (const path of ['/metrics', '/healthz', '/nowhere']) {
      const body = method === 'POST' ? 'x'.repeat(100_000) : null;
      const answer = await fetch(admin.address + path, { method, body });
      t.equal(answer.status, 405, `${method} ${path}`);
      t.equal(answer.headers.get('allow'), 'GET, HEAD');
      await answer.text();
    }
  }
});

void t.test('close does not wait for connections that are kept open', async (t) => {
  const metrics = createMetrics({ clientSeries: 5 });
  const admin = await startAdmin({
    host: '127.0.0.1',
    port: 0,
    metrics,
    ready: () => ({ ready: true, waitingFor: [] }),
  });
  await (await fetch(`${admin.address}/healthz`)).text();
  const from = performance.now();
  await admin.close();
  t.ok(performance.now() - from < 2000);
  await t.rejects(fetch(`${admin.address}/healthz`));
});

void t.test('a port in use is an error of the system', async (t) => {
  const other = createServer();
  const port = await new Promise<number>((resolve) => {
    other.listen(0, '127.0.0.1', () => resolve((other.address() as { port: number }).port));
  });
  t.teardown(() => other.close());
  const metrics = createMetrics({ clientSeries: 5 });
  const ready = () => ({ ready: true, waitingFor: [] });
  await t.rejects(startAdmin({ host: '127.0.0.1', port, metrics, ready }), { code: 'EADDRINUSE' });
});

void t.test('the address is the one that is bound', async (t) => {
  const metrics = createMetrics({ clientSeries: 5 });
  const ready = () => ({ ready: true, waitingFor: [] });
  const admin = await startAdmin({ host: '0.0.0.0', port: 0, metrics, ready });
  t.teardown(() => admin.close());
  t.match(admin.address, /^http:\/\/0\.0\.0\.0:[1-9]\d*$/);
});
