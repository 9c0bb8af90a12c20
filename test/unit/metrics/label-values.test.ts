import t from 'tap';
import { boundClients, clean, methodClass, revisionClass } from '../../../src/metrics/label-values.js';

void t.test('methods become classes', async (t) => {
  const table: [string | undefined, string][] = [
    ['tools/call', 'tools/call'],
    ['server/discover', 'server/discover'],
    ['resources/templates/list', 'resources/templates/list'],
    ['tasks/update', 'tasks/update'],
    ['initialize', 'initialize'],
    ['notifications/initialized', 'notifications'],
    ['notifications/of/my/own', 'notifications'],
    ['notifications', 'other'],
    ['Tools/Call', 'other'],
    ['__proto__', 'other'],
    ['', 'other'],
    [undefined, 'none'],
  ];
  for (const [method, expected] of table) t.equal(methodClass(method), expected, String(method));
});

void t.test('revisions become classes', async (t) => {
  for (const known of ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28']) {
    t.equal(revisionClass(known), known);
  }
  t.equal(revisionClass('2099-01-01'), 'other');
  t.equal(revisionClass('constructor'), 'other');
  t.equal(revisionClass(undefined), 'none');
});

void t.test('text of clients is made printable and short', async (t) => {
  t.equal(clean('claude-code', 64), 'claude-code');
  t.equal(clean('a"b\\c', 64), 'a"b\\c', 'quotes are escaped by the renderer');
  t.equal(clean('tab\tnul\0\nline\x1b[31m', 64), 'tab?nul??line?[31m');
  t.equal(clean('Zürich 🙂', 64), 'Z?rich ??');
  t.equal(clean('x'.repeat(1_000_000), 64), 'x'.repeat(64));
  t.equal(clean('', 64), '-');
  t.equal(clean('   ', 64), '-');
});

void t.test('the first clients have labels of their own, all later ones share one', async (t) => {
  const labelsOf = boundClients(2);
  t.same(labelsOf('a', '1'), { name: 'a', version: '1' });
  t.same(labelsOf('a', '2'), { name: 'a', version: '2' });
  t.same(labelsOf('a', '3'), { name: 'other', version: 'other' }, 'versions count as well');
  t.same(labelsOf('b', '1'), { name: 'other', version: 'other' });
  t.same(labelsOf('a', '1'), { name: 'a', version: '1' }, 'the first ones keep theirs');
});

void t.test('pairs that look alike when put together stay apart', async (t) => {
  const labelsOf = boundClients(10);
  t.same(labelsOf('a\tb', 'c'), { name: 'a?b', version: 'c' });
  t.same(labelsOf('a', 'b\tc'), { name: 'a', version: 'b?c' });
});
