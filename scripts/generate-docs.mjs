/**
 * Writes docs/errors.md and docs/metrics.md from the tables of the built gateway.
 *
 *   node scripts/generate-docs.mjs [DIRECTORY]           writes (default: docs)
 *   node scripts/generate-docs.mjs --check [DIRECTORY]   compares; exit code 1 and the names of the files that drifted
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorTable } from '../dist/errors.js';
import { labels, metrics, prefix } from '../dist/metrics/names.js';

const generated = {
  'errors.md': errorsPage(),
  'metrics.md': metricsPage(),
};

const args = process.argv.slice(2);
const check = args[0] === '--check';
const directory = args[check ? 1 : 0] ?? 'docs';

const drifted = Object.entries(generated).filter(([name, text]) => read(join(directory, name)) !== text);
for (const [name, text] of drifted) {
  const file = join(directory, name);
  if (!check) writeFileSync(file, text);
  console.log(check ? `${file} differs from its table; run: node scripts/generate-docs.mjs` : `wrote ${file}`);
}
if (check && drifted.length > 0) process.exitCode = 1;

function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function errorsPage() {
  const rows = Object.entries(errorTable).map(([cell, row]) => [
    `\`${cell}\``,
    row.status,
    row.code ?? '–',
    row.eras === 'both' ? 'both eras' : row.eras,
    row.sentence,
    Object.entries(row.headers ?? {})
      .map(([name, value]) => `\`${name}: ${value}\``)
      .join('<br>'),
  ]);
  return page(
    'Errors',
    'src/errors.ts',
    `Every error that the gateway itself answers with. A *cell* is the stable name of one reason: the same word stands in
the log (\`cell\`), in the metrics (\`mcp_resilience_refusals_total{cell="…"}\`) and in the tests. The answer is a JSON-RPC error
with the code below and, where it could be read, the request's own id; its message is the sentence, followed by what
exactly was wrong. Errors that an upstream answers with are passed on and are not in this table.`,
    table(['cell', 'HTTP', 'JSON-RPC', 'met by clients of', 'sentence', 'headers'], rows),
  );
}

function metricsPage() {
  const rows = Object.entries(metrics).map(([name, row]) => [
    `\`${prefix}${name}\``,
    row.type,
    row.labels.map((label) => `\`${label}\``).join(', '),
    row.help,
  ]);
  const histograms = Object.entries(metrics).filter(([, row]) => row.type === 'histogram');
  return page(
    'Metrics',
    'src/metrics/names.ts',
    `Served at \`/metrics\` of the admin port in the Prometheus text format, beside the usual \`process_*\` and \`nodejs_*\` of the
process. What a client sends becomes a label value only if it is on a known list, or cleaned to printable ASCII of at
most 64 characters and bounded in number.`,
    table(['metric', 'type', 'labels', 'what'], rows),
    '## Labels',
    table(
      ['label', 'value'],
      Object.entries(labels).map(([label, says]) => [`\`${label}\``, says]),
    ),
    '## Buckets',
    'Upper bounds in seconds.',
    table(
      ['histogram', 'buckets'],
      histograms.map(([name, row]) => [`\`${prefix}${name}\``, row.buckets.join(', ')]),
    ),
  );
}

function page(title, source, ...parts) {
  const note = `<!-- Generated from ${source} by scripts/generate-docs.mjs; edit the table there. -->`;
  return [`# ${title}`, note, ...parts].join('\n\n') + '\n';
}

function table(head, rows) {
  const cell = (value) => String(value).replaceAll('|', '\\|');
  const line = (cells) => `| ${cells.map(cell).join(' | ')} |`;
  return [line(head), `|${' --- |'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}
