import t from 'tap';
import { readToolList } from '../../../src/translate/tool-list.js';
import { ToolMemory } from '../../../src/translate/tool-memory.js';

const list = (text: string) => readToolList(Buffer.from(text), { start: 0, end: Buffer.byteLength(text) });
const tool = (name: string, header?: string): string =>
  `{"name":"${name}","inputSchema":{"type":"object","properties":{"a":{"type":"string"${header === undefined ? '' : `,"x-mcp-header":"${header}"`}}}}}`;
const page = (scope: string, ...tools: string[]) => list(`{"cacheScope":"${scope}","tools":[${tools.join(',')}]}`);

function memory(): {
  memory: ToolMemory;
  told: unknown[];
  headers: (owner: string, tool: string) => string[] | undefined;
} {
  const told: unknown[] = [];
  const memory = new ToolMemory({ warn: (facts: unknown) => void told.push(facts) });
  return {
    memory,
    told,
    headers: (owner, name) => memory.find('up', owner, name)?.params.map(({ header }) => header),
  };
}

t.test('reads pages; what is no tool is passed over', async (t) => {
  const read = list(
    `{"tools":[null,7,{"name":7},{"inputSchema":{}},${tool('a')},${tool('b', 'B B')}],"nextCursor":"c\\u0022","cacheScope":"public"}`,
  );
  t.same(
    read.tools.map(({ name, invalid }) => [name, invalid !== undefined]),
    [
      ['a', false],
      ['b', true],
    ],
  );
  t.equal(read.nextCursor, '"c\\u0022"');
  t.equal(read.shared, true);
  for (const text of ['{"tools":{}}', '{"tools":null,"nextCursor":null,"cacheScope":1}', '{}'])
    t.match(list(text), { tools: [], nextCursor: undefined, shared: false }, text);
});

t.test('a list is for its owner, unless it is public', async (t) => {
  const { memory: tools, headers } = memory();
  tools.learn('up', 'ann', page('private', tool('a', 'Mine')));
  t.same(headers('ann', 'a'), ['Mcp-Param-Mine']);
  t.equal(headers('bob', 'a'), undefined);
  tools.learn('up', 'bob', page('public', tool('a', 'Ours')));
  t.same(headers('bob', 'a'), ['Mcp-Param-Ours']);
  t.same(headers('cid', 'a'), ['Mcp-Param-Ours']);
  t.same(headers('ann', 'a'), ['Mcp-Param-Mine'], 'what was said to the owner counts first');
  t.equal(tools.find('other', 'cid', 'a'), undefined);
});

t.test('the newest list counts', async (t) => {
  const { memory: tools, headers } = memory();
  tools.learn('up', 'ann', page('private', tool('a', 'A'), tool('__proto__', 'P')));
  tools.learn('up', 'ann', page('private', tool('b', 'B')));
  t.same(headers('ann', 'a'), ['Mcp-Param-A'], 'another page');
  t.same(headers('ann', '__proto__'), ['Mcp-Param-P']);
  t.equal(headers('ann', 'constructor'), undefined);
  tools.learn('up', 'ann', page('private', tool('a')));
  t.equal(headers('ann', 'a'), undefined);
});

t.test('a tool that is not shown is told of once', async (t) => {
  const { memory: tools, told, headers } = memory();
  for (const owner of ['ann', 'bob', 'ann'])
    tools.learn('up', owner, page('private', tool('bad', 'x y'), tool('good', 'G')));
  t.match(told, [{ upstream: 'up', tool: 'bad', reason: /"a" is no name of a header/ }]);
  t.equal(told.length, 1);
  t.equal(headers('ann', 'bad'), undefined);
});

t.test('it is bounded', async (t) => {
  const { memory: tools, headers } = memory();
  for (let n = 0; n < 5_050; n++) tools.learn('up', 'ann', page('private', tool(`t${n}`, 'H')));
  t.equal(headers('ann', 't0'), undefined);
  t.equal(headers('ann', 't49'), undefined);
  t.ok(headers('ann', 't50'));
  t.ok(headers('ann', 't5049'));
  tools.learn('up', 'ann', page('private', tool('large', 'H'.repeat(5_000))));
  t.equal(headers('ann', 'large'), undefined);
});
