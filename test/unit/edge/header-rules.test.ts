import t from 'tap';
import { checkRequestHeaders } from '../../../src/edge/header-rules.js';

const accepted: string[][] = [
  [],
  ['Host', 'a', 'Connection', 'keep-alive', 'Accept', 'a/b', 'accept', 'c/d'],
  ['Connection', 'close, X-Mine', 'X-Mine', '1'],
  ['Connection', 'Upgrade, HTTP2-Settings', 'Upgrade', 'h2c', 'HTTP2-Settings', 'x'],
  ['Mcp-Session-Id', '!~azAZ09', 'Mcp-Protocol-Version', '2025-06-18', 'Mcp-Param-A', '1', 'Mcp-Param-A', '2'],
];

for (const raw of accepted) t.equal(checkRequestHeaders(raw), undefined, JSON.stringify(raw));

const refused: [string[], string, RegExp][] = [
  ...['mcp-session-id', 'MCP-Protocol-Version', 'mcp-anything', 'Authorization', 'content-type', 'content-length'].map(
    (name): [string[], string, RegExp] => [
      ['CONNECTION', `keep-alive , ${name}`],
      'hop-by-hop-nomination',
      new RegExp(name, 'i'),
    ],
  ),
  [['Connection', 'close', 'connection', 'host'], 'hop-by-hop-nomination', /host/],
  ...['Mcp-Session-Id', 'Mcp-Protocol-Version', 'Mcp-Method', 'Host', 'Authorization', 'Origin', 'Content-Type'].map(
    (name): [string[], string, RegExp] => [
      [name, 'a', 'X', '1', name.toUpperCase(), 'a'],
      'bad-header',
      new RegExp(`${name} stands twice`, 'i'),
    ],
  ),
  ...['', 'a b', 'a\tb', 'caf\u00e9', 'a\u007f'].map((value): [string[], string, RegExp] => [
    ['Mcp-Session-Id', value],
    'bad-header',
    /visible ASCII/,
  ]),
];

for (const [raw, cell, detail] of refused) t.match(checkRequestHeaders(raw), { cell, detail }, JSON.stringify(raw));
