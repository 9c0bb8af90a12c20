/**
 * Reads a story: front matter and steps. The format is told in test/transcripts/README.md; a step is what one
 * lane says at one time, and the order of the steps in the file is their order on the wire.
 */
import { parse } from 'yaml';

/** Who says something to whom. The runner plays `C>` and `U<`; it compares `G>` and `G<`. */
export type Lane = 'C>' | 'G>' | 'U<' | 'G<';

/** A complete head, and what of the body is known at that time. */
export interface MessagePart {
  readonly kind: 'message';
  readonly startLine: string;
  readonly headers: readonly (readonly [string, string])[];
  /** Complete, except in a stream, where more of it follows in chunks. */
  readonly body: string;
  readonly streamed: boolean;
}

/** More of the body of a stream. */
export interface ChunkPart {
  readonly kind: 'chunk';
  readonly body: string;
}

/** What happens to a connection: `[end]`, `[abort]`, `[reset]`, … */
export interface EventPart {
  readonly kind: 'event';
  readonly name: string;
}

/** What a lane says at one time. */
export interface Step {
  readonly lane: Lane;
  /** Tells several connections apart: `C2>` has the label `2`, `C>` the empty one. */
  readonly label: string;
  /** The lines of the file that it stands on, counted from 1; `last` included. */
  readonly first: number;
  readonly last: number;
  readonly part: MessagePart | ChunkPart | EventPart;
}

/** One story. */
export interface Story {
  /** The first comment line: what is told. */
  readonly title: string;
  readonly settings: StorySettings;
  readonly steps: readonly Step[];
}

/** The front matter: the configuration of the gateway as its users write it, and what the runner needs to know. */
export interface StorySettings {
  /** Merged over what the runner gives: one upstream named `server` at `/mcp`. */
  readonly config: Readonly<Record<string, unknown>>;
  /** `refused`: nothing listens where the upstream should be. */
  readonly upstream: 'scripted' | 'refused';
}

/** A story that breaks the format; the message names the line. */
export class StoryError extends Error {}

const laneLine = /^([CGU])(\d*)([<>])(?: (.*))?$/;

/** Reads a story. Throws StoryError, naming the line. */
export function parseStory(text: string): Story {
  const lines = text.split('\n');
  const { settings, next } = readFrontMatter(lines);
  const title = lines.find((line) => line.startsWith('# '))?.slice(2) ?? '';
  if (title === '') throw new StoryError('a story begins with a comment that says what it tells');
  const steps: Step[] = [];
  for (let at = next; at < lines.length;) {
    const line = lines[at] ?? '';
    if (line === '' || line.startsWith('#')) at += 1;
    else {
      const step = readStep(lines, at);
      steps.push(step);
      at = step.last;
    }
  }
  return { title, settings, steps };
}

function readFrontMatter(lines: readonly string[]): { settings: StorySettings; next: number } {
  const start = lines.findIndex((line) => line !== '' && !line.startsWith('#'));
  if (lines[start] !== '---') return { settings: { config: {}, upstream: 'scripted' }, next: 0 };
  const end = lines.indexOf('---', start + 1);
  if (end < 0) throw new StoryError(`line ${start + 1}: the front matter is not closed by ---`);
  const given = (parse(lines.slice(start + 1, end).join('\n')) ?? {}) as Record<string, unknown>;
  const { config = {}, upstream = 'scripted', ...unknown } = given;
  if (Object.keys(unknown).length > 0) throw new StoryError(`front matter: unknown ${Object.keys(unknown).join(', ')}`);
  if (upstream !== 'scripted' && upstream !== 'refused')
    throw new StoryError('front matter: upstream is scripted or refused');
  return { settings: { config: config as Record<string, unknown>, upstream }, next: end + 1 };
}

function readStep(lines: readonly string[], at: number): Step {
  const opening = laneLine.exec(lines[at] ?? '');
  if (opening === null) throw new StoryError(`line ${at + 1}: not a lane: ${lines[at]}`);
  const lane = `${opening[1]}${opening[3]}`;
  if (!isLane(lane)) throw new StoryError(`line ${at + 1}: no such lane: ${lane}`);
  const label = opening[2] ?? '';
  const said: string[] = [];
  let end = at;
  for (; end < lines.length; end += 1) {
    const match = laneLine.exec(lines[end] ?? '');
    if (match === null || `${match[1]}${match[3]}` !== lane || match[2] !== label) break;
    said.push((match[4] ?? '').replaceAll('␍', '\r'));
  }
  return { lane, label, first: at + 1, last: end, part: readPart(lane, said, at + 1) };
}

function isLane(text: string): text is Lane {
  return ['C>', 'G>', 'U<', 'G<'].includes(text);
}

function readPart(lane: Lane, said: readonly string[], line: number): Step['part'] {
  const [startLine = ''] = said;
  const event = /^\[([a-z]+)\]$/.exec(startLine);
  if (event !== null) {
    if (said.length > 1) throw new StoryError(`line ${line}: an event stands alone`);
    return { kind: 'event', name: event[1] ?? '' };
  }
  const isRequest = /^[A-Z]+ \S+ HTTP\/1\.1$/.test(startLine);
  const isResponse = /^HTTP\/1\.1 \d{3}/.test(startLine);
  if (!isRequest && !isResponse) return { kind: 'chunk', body: said.map((one) => `${one}\n`).join('') };
  if (isRequest !== lane.endsWith('>')) throw new StoryError(`line ${line}: ${startLine} does not belong on ${lane}`);
  return readMessagePart(said, line);
}

function readMessagePart(said: readonly string[], line: number): MessagePart {
  const [startLine = '', ...rest] = said;
  const blank = rest.indexOf('');
  const headers = (blank < 0 ? rest : rest.slice(0, blank)).map((header, index) => {
    const match = /^([^:\s]+):[ ]?(.*)$/.exec(header);
    if (match === null) throw new StoryError(`line ${line + 1 + index}: not a header: ${header}`);
    return [match[1] ?? '', match[2] ?? ''] as const;
  });
  const body = blank < 0 ? [] : rest.slice(blank + 1);
  const streamed = startLine.startsWith('HTTP/1.1 ') && headers.some(isStreamHeader);
  // The lines of a stream all end with a newline; the last line of a complete body does not.
  return {
    kind: 'message',
    startLine,
    headers,
    streamed,
    body: streamed ? body.map((one) => `${one}\n`).join('') : body.join('\n'),
  };
}

function isStreamHeader([name, value]: readonly [string, string]): boolean {
  if (name.toLowerCase() === 'transfer-encoding') return true;
  return name.toLowerCase() === 'content-type' && value.startsWith('text/event-stream');
}
