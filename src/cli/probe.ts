/** `probe URL`: what does that server speak, and which clients can use it? */
import { buildUpstream } from '../config/build.js';
import { explain } from '../config/explain.js';
import { formatKey } from '../config/problem.js';
import { fits, misfits } from '../config/schema.js';
import { withoutSecrets } from '../config/shown.js';
import type { UpstreamConfig } from '../config/types.js';
import { probeUpstream } from '../era/probe.js';
import { errorTable } from '../errors.js';
import { HttpUpstream } from '../upstreams/http.js';
import { exitCodes, RunError, UsageError, type Arguments, type Command } from './command.js';
import { shakeHands } from './handshake.js';
import { renderReport, reportOf, type ProbeReport } from './probe-report.js';

export const probe: Command = {
  name: 'probe',
  summary: 'Find out what an MCP server speaks, and which clients can use it',
  positionals: ['URL'],
  flags: {
    header: { value: '"NAME: VALUE"', multiple: true, help: 'Send this header, such as "Authorization: Bearer …"' },
    timeout: { value: 'DURATION', help: 'How long to wait for each answer; 10s without it' },
    json: { help: 'Print JSON' },
  },
  notes:
    'Sends server/discover, and initialize in every legacy revision; sessions that this opens are ended at once.\n' +
    'Nothing else is asked of the server.',
  async run(args) {
    const report = await probeServer(configOf(args));
    process.stdout.write(args.has('json') ? `${JSON.stringify(report, undefined, 2)}\n` : renderReport(report));
    return exitCodes.ok;
  },
};

async function probeServer(config: UpstreamConfig): Promise<ProbeReport> {
  const upstream = new HttpUpstream(config);
  const url = withoutSecrets(config.url.href);
  try {
    const outcome = await probeUpstream(upstream);
    if (outcome.kind === 'none') {
      const { cell, detail } = outcome.refusal;
      throw new RunError(`${url} could not be probed: ${detail ?? errorTable[cell].sentence} (${cell})`);
    }
    const handshakes = await shakeHands(upstream, config.timeouts.firstByte);
    // A web server that is no MCP server looks legacy until it is asked to initialize.
    if (outcome.speaks === 'legacy' && handshakes.result === undefined) {
      throw new RunError(
        `${url} answers neither server/discover nor initialize as an MCP server of a known revision would`,
      );
    }
    return reportOf(url, outcome, handshakes);
  } finally {
    await upstream.close();
  }
}

/** The upstream that the arguments describe; the schema of the configuration checks it. Throws UsageError. */
function configOf(args: Arguments): UpstreamConfig {
  const [url = ''] = args.positionals;
  const wait = args.one('timeout') ?? '10s';
  const headers = Object.fromEntries(args.all('header').map(headerOf));
  const raw = { url, headers, timeouts: { connect: wait, firstByte: wait, idle: wait } };
  if (fits(raw, '#/$defs/upstream')) return buildUpstream('probe', raw);
  const problems = explain(misfits(raw, '#/$defs/upstream'), () => undefined);
  const lines = problems.map(
    ({ path, message }) => `${path[0] === 'timeouts' ? '--timeout' : formatKey(path)}: ${message}`,
  );
  throw new UsageError([...new Set(lines)].join('\n'));
}

function headerOf(text: string): [string, string] {
  const colon = text.indexOf(':');
  if (colon < 1) throw new UsageError('--header: expected "NAME: VALUE"');
  return [text.slice(0, colon).trim(), text.slice(colon + 1).trim()];
}
