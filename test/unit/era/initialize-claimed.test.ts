import t from 'tap';
import { detectFromBody, detectFromHead } from '../../../src/era/detect-client.js';
import { readMessage } from '../../../src/wire/jsonrpc.js';

const modern = '2026-07-28';

/** `initialize` under every mixture of header and claim. Only a claim that the header repeats makes it modern. */
const cases: { header: string | undefined; claim: string | undefined; kind: 'legacy' | 'modern' }[] = [
  { header: undefined, claim: undefined, kind: 'legacy' },
  { header: '2025-11-25', claim: undefined, kind: 'legacy' },
  { header: modern, claim: undefined, kind: 'legacy' },
  { header: undefined, claim: modern, kind: 'legacy' },
  { header: '2025-11-25', claim: modern, kind: 'legacy' },
  { header: modern, claim: modern, kind: 'modern' },
  { header: '2099-01-01', claim: '2099-01-01', kind: 'legacy' },
];

for (const { header, claim, kind } of cases) {
  t.test(`initialize with header ${header ?? 'absent'} and claim ${claim ?? 'absent'} is ${kind}`, async (t) => {
    const meta = claim && {
      'io.modelcontextprotocol/protocolVersion': claim,
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const params = { protocolVersion: '2025-11-25', capabilities: {}, ...(meta && { _meta: meta }) };
    const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }));
    const head = {
      method: 'POST',
      contentType: 'application/json',
      protocolVersion: header,
      mcpMethod: 'initialize',
      mcpName: undefined,
    };
    const session = { state: 'none' } as const;
    t.equal(detectFromHead(head, session).kind, 'read-body', 'the head alone cannot tell');
    t.equal(detectFromBody(head, session, readMessage(body)).kind, kind);
  });
}
