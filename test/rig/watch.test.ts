import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import t from 'tap';
import type { Era } from '../../src/wire/meta-keys.js';
import { Watch } from './watch.js';

const result = (id: unknown, value: object) => ({ jsonrpc: '2.0', id, result: value });
const cached = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' };

/** What a server of `era` answers to `method`, and what the watch must say of it. */
const cases: { era: Era; method: string; answers: object[]; fault?: RegExp }[] = [
  { era: 'legacy', method: 'tools/list', answers: [result(1, { tools: [] })] },
  {
    era: 'legacy',
    method: 'tools/list',
    answers: [result(1, { prompts: [] })],
    fault: /not a ListToolsResult of 2025-11-25/,
  },
  { era: 'legacy', method: 'ping', answers: [result(2, {})], fault: /a method that was never asked for/ },
  { era: 'modern', method: 'tools/list', answers: [result(1, { tools: [], ...cached })] },
  {
    era: 'modern',
    method: 'tools/list',
    answers: [result(1, { tools: [] })],
    fault: /not a ListToolsResult of 2026-07-28/,
  },
  {
    era: 'modern',
    method: 'tools/call',
    answers: [result(1, { resultType: 'input_required', inputRequests: {} })],
  },
  {
    era: 'legacy',
    method: 'tools/call',
    answers: [
      { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 1, progress: 1 } },
      result(1, { content: [] }),
    ],
  },
  {
    era: 'legacy',
    method: 'tools/call',
    answers: [{ jsonrpc: '2.0', method: 'notifications/progress', params: { progress: 1 } }],
    fault: /not a ServerNotification/,
  },
  {
    era: 'modern',
    method: 'tools/call',
    answers: [{ jsonrpc: '2.0', id: null, error: { code: -32600, message: 'no' } }],
    fault: /not a JSONRPCErrorResponse/,
  },
];

t.test('the watch', async (t) => {
  for (const framing of ['json', 'sse'] as const) {
    for (const { era, method, answers, fault } of cases) {
      if (framing === 'json' && answers.length > 1) continue;
      await t.test(`${framing}: ${era} ${method} ${String(fault ?? 'is fine')}`, async (t) => {
        const body = answers.map((answer) => JSON.stringify(answer));
        const server = createServer((_, response) => {
          const type = framing === 'json' ? 'application/json' : 'text/event-stream';
          response.setHeader('content-type', type);
          response.end(framing === 'json' ? body[0] : body.map((data) => `data: ${data}\n\n`).join(''));
        });
        await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
        t.teardown(() => new Promise((resolve) => server.close(resolve)));
        const watch = new Watch(era);
        const response = await watch.fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, {
          method: 'POST',
          body: JSON.stringify({ jsonrpc: '2.0', id: 1, method }),
        });
        t.match(await response.text(), body[0] ?? '', 'the client reads the same');
        t.equal(watch.seen, answers.length);
        t.match(watch.faults, fault === undefined ? [] : [fault]);
        t.equal(watch.faults.length, fault === undefined ? 0 : 1);
      });
    }
  }
});
