import t from 'tap';
import { missingCapability } from '../../../../src/translate/legacy-to-modern/map-capabilities.js';
import type { InputMethod } from '../../../../src/translate/legacy-to-modern/map-input.js';

t.test('who may be asked for what', async (t) => {
  const url = '{"mode":"url","url":"https://a.example"}';
  const rows: [method: InputMethod, params: string | undefined, revision: string, declared: string, lacks?: string][] =
    [
      ['roots/list', undefined, '2024-11-05', '{"roots":{}}'],
      ['roots/list', undefined, '2025-11-25', '{"roots":{"listChanged":true}}'],
      ['roots/list', undefined, '2025-11-25', '{}', 'roots'],
      ['roots/list', undefined, '2025-11-25', '{"roots":null}', 'roots'],
      ['roots/list', undefined, '2025-11-25', '{"__proto__":{"roots":{}}}', 'roots'],
      ['sampling/createMessage', '{}', '2024-11-05', '{"sampling":{}}'],
      ['sampling/createMessage', '{}', '2025-11-25', '{"elicitation":{}}', 'sampling'],
      ['sampling/createMessage', '{"tools":[]}', '2025-11-25', '{"sampling":{"tools":{}}}'],
      ['sampling/createMessage', '{"tools":[]}', '2025-11-25', '{"sampling":{}}', 'sampling.tools'],
      ['sampling/createMessage', '{"toolChoice":{}}', '2025-11-25', '{"sampling":{}}', 'sampling.tools'],
      ['sampling/createMessage', '{"tools":[]}', '2025-06-18', '{"sampling":{"tools":{}}}', 'sampling.tools'],
      ['elicitation/create', '{}', '2025-11-25', '{"elicitation":{}}'],
      ['elicitation/create', '{"mode":"form"}', '2025-06-18', '{"elicitation":{}}'],
      ['elicitation/create', '{"mode":"form"}', '2025-11-25', '{"elicitation":{"form":{},"url":{}}}'],
      ['elicitation/create', '{"mode":"form"}', '2025-11-25', '{"elicitation":{"url":{}}}', 'elicitation.form'],
      ['elicitation/create', '{}', '2025-11-25', '{"sampling":{}}', 'elicitation'],
      ['elicitation/create', '{}', '2025-03-26', '{"elicitation":{}}', 'elicitation'],
      ['elicitation/create', url, '2025-11-25', '{"elicitation":{"url":{}}}'],
      ['elicitation/create', url, '2025-11-25', '{"elicitation":{}}', 'elicitation.url'],
      ['elicitation/create', url, '2025-06-18', '{"elicitation":{"url":{}}}', 'elicitation.url'],
      ['elicitation/create', '{"mode":"dance"}', '2025-11-25', '{"elicitation":{}}', 'elicitation.dance'],
      ['elicitation/create', '{"mode":null}', '2025-11-25', '{"elicitation":{}}', 'elicitation.null'],
    ];
  for (const [method, params, revision, clientCapabilities, lacks] of rows) {
    const missing = missingCapability({ key: '"k"', method, params }, { clientCapabilities, revision });
    t.equal(missing, lacks, `${method} ${params} of ${revision} ${clientCapabilities}`);
  }
});
