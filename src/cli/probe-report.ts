/** What a probe found out, as data and as a table for a terminal. */
import type { Speaks } from '../era/classify-probe.js';
import type { ProbeOutcome } from '../era/probe.js';
import { metaKeys, type Era } from '../wire/meta-keys.js';
import { caveats, crossings, generationsOn, type Fare, type Generation } from './generations.js';
import { claimsIn, type Claims, type Handshakes } from './handshake.js';

/** What a probe found out; the shape of `--json`. */
export interface ProbeReport {
  readonly url: string;
  /** What the gateway takes the server to speak. */
  readonly era: Speaks;
  readonly revisions: readonly string[];
  readonly server: { readonly name: string | undefined; readonly version: string | undefined };
  readonly capabilities: Claims;
  readonly clients: readonly Generation[];
}

/** Puts together what the probe and the handshakes brought. */
export function reportOf(
  url: string,
  verdict: ProbeOutcome & { kind: 'verdict' },
  { revisions: agreed, result }: Handshakes,
): ProbeReport {
  const discovered = verdict.discovered === undefined ? undefined : claimsIn(JSON.parse(verdict.discovered.toString()));
  const revisions = [...new Set([...verdict.revisions, ...agreed])].sort().reverse();
  const claims = discovered ?? result ?? {};
  const meta = claimsIn(claims['_meta']);
  const server = claimsIn(meta[metaKeys.serverInfo] ?? claims['serverInfo']);
  const eras = new Set<Era>(verdict.speaks === 'both' ? ['legacy', 'modern'] : [verdict.speaks]);
  return {
    url,
    era: verdict.speaks,
    revisions,
    server: { name: textIn(server['name']), version: textIn(server['version']) },
    capabilities: claimsIn(claims['capabilities']),
    clients: generationsOn(new Set(revisions), eras),
  };
}

/** The report as aligned text. What the server said is cleaned: it must not reach the terminal's controls. */
export function renderReport({ url, era, revisions, server, capabilities, clients }: ProbeReport): string {
  const facts: [string, string][] = [
    ['url', url],
    ['era', era],
    ['revisions', revisions.join(', ')],
    ['server', [server.name, server.version].filter((part) => part !== undefined).join(' ') || 'unnamed'],
    ['capabilities', Object.entries(capabilities).map(capability).join(', ') || 'none'],
  ];
  const rows = clients.map(({ revision, era, directly, gateway }) => [revision, era, fare(directly), fare(gateway)]);
  const table = [['client', 'era', 'directly', 'through the gateway'], ...rows];
  return [...aligned(facts), '', ...aligned(table), '', ...footnotes(clients), ''].join('\n');
}

const words: Readonly<Record<Fare, string>> = {
  yes: 'yes',
  no: 'no',
  translated: 'yes, translated',
  'not yet': 'not yet',
};

function fare(how: Fare): string {
  return words[how];
}

function footnotes(clients: readonly Generation[]): string[] {
  const notes = [...caveats].map(([revision, words]) => `${revision}: ${words}.`);
  if (clients.some(({ gateway }) => gateway === crossings.modern)) {
    notes.push('not yet: modern clients are not carried to legacy servers in this version.');
  }
  return notes;
}

/** `resources (listChanged, subscribe)`. */
function capability([name, about]: [string, unknown]): string {
  const details = Object.entries(claimsIn(about)).filter(([, value]) => value !== false);
  return details.length === 0 ? name : `${name} (${details.map(([detail]) => detail).join(', ')})`;
}

function aligned(rows: readonly (readonly string[])[]): string[] {
  const cleaned = rows.map((row) => row.map(clean));
  const widths = (cleaned[0] ?? []).map((_, column) => Math.max(...cleaned.map((row) => row[column]?.length ?? 0)));
  return cleaned.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('   ')
      .trimEnd(),
  );
}

function clean(text: string): string {
  return text.replace(/\p{C}/gu, '?').slice(0, 500);
}

function textIn(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
