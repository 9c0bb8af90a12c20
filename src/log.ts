/**
 * The log: JSON lines by pino. What may be written is decided here once for every line, so that no caller can let a
 * body, a header or a credential slip in, and no client can forge a line or make one long.
 */
import { createRequire } from 'node:module';
import type PinoPretty from 'pino-pretty';
import {
  destination as toDescriptor,
  pino,
  stdTimeFunctions,
  type Bindings,
  type ChildLoggerOptions,
  type DestinationStream,
  type Logger,
} from 'pino';
import type { Config } from './config/types.js';
import { clean } from './metrics/label-values.js';

/** Members that hold bodies or credentials, in lower case: their values are never written, at any depth. */
const hidden = new Set([
  'authorization',
  'proxy-authorization',
  'www-authenticate',
  'cookie',
  'set-cookie',
  'x-api-key',
  'token',
  'secret',
  'password',
  'headers',
  'rawheaders',
  'body',
  'params',
  'arguments',
  'result',
  'data',
]);

/** Members of the request line that want a form of their own: clients' words bounded, times in tenths of a millisecond. */
const shown: ReadonlyMap<string, (value: unknown) => unknown> = new Map([
  ['method', clientText],
  ['revision', clientText],
  ['totalMs', tenths],
  ['upstreamMs', tenths],
]);

const deepest = 4;
const longestText = 2000;

/** How much of a stalled reader's backlog is kept before lines are dropped, bytes: a full pipe must not fill the memory. */
const maxBacklog = 16 * 1024 * 1024;

/**
 * Makes the logger.
 * @param config level and format: `json`, or `pretty` for a person at a terminal
 * @param destination where lines go; standard output if absent
 */
export function createLogger(config: Config['log'], destination?: DestinationStream): Logger {
  const logger = pino(
    {
      level: config.level,
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }), log: safeRecord },
      // Errors are described by safeRecord already; pino's own serializer would look for a message once more.
      serializers: { err: (described: unknown) => described },
    },
    config.format === 'pretty'
      ? prettyStream(destination ?? process.stdout, destination === undefined && process.stdout.isTTY)
      : (destination ?? together(toDescriptor({ dest: 1, sync: false, maxLength: maxBacklog }))),
  );
  guardChildren(logger);
  return logger;
}

/** Lines wait for company until they fill so many characters, or for so many milliseconds. */
const batch = 8 * 1024;
const batchMs = 50;

/** What pushes on the lines that are waiting: before the process ends, none may be left behind. */
const waiting = new Set<() => void>();
for (const end of ['beforeExit', 'exit'] as const) {
  // Registered before pino makes its own listener, which then writes what was pushed on.
  process.on(end, () => waiting.forEach((push) => push()));
}

/** Writes lines together: under load a system call, and a thread to make it, costs more than the line. */
function together(out: DestinationStream & { flushSync(): void }): DestinationStream & { flushSync(): void } {
  let lines: string[] = [];
  let length = 0;
  let timer: NodeJS.Timeout | undefined;
  const push = (): void => {
    clearTimeout(timer);
    timer = undefined;
    waiting.delete(push);
    const text = lines.join('');
    lines = [];
    length = 0;
    out.write(text);
  };
  return {
    write(line) {
      lines.push(line);
      length += line.length;
      if (length >= batch) push();
      else if (timer === undefined) {
        timer = setTimeout(push, batchMs).unref();
        waiting.add(push);
      }
    },
    flushSync() {
      push();
      out.flushSync();
    },
  };
}

/** Members bound to a child are written into each of its lines, but pino hands them to no formatter that a child keeps. */
function guardChildren(logger: Logger): void {
  // eslint-disable-next-line @typescript-eslint/unbound-method -- `this` is given at the call
  const { child } = logger;
  logger.child = function <Levels extends string>(
    this: Logger,
    bindings: Bindings,
    options?: ChildLoggerOptions<Levels>,
  ) {
    return child.call(this, safeRecord(bindings), options) as Logger<Levels>;
  };
}

/**
 * A stream that makes lines readable. It writes synchronously: the last line before an exit is the one that is wanted.
 * pino-pretty is loaded only here, to keep it out of the start of a sidecar.
 */
function prettyStream(out: DestinationStream, colorize: boolean): DestinationStream {
  const load = createRequire(import.meta.url);
  const { prettyFactory } = load('pino-pretty') as typeof PinoPretty;
  const render = prettyFactory({ colorize, singleLine: true, translateTime: 'SYS:HH:MM:ss.l' });
  return { write: (line) => void out.write(render(line)) };
}

/** The members of one line as they may be written. */
function safeRecord(record: Record<string, unknown>): Record<string, unknown> {
  return safeMembers(record, 0);
}

function safeMembers(record: Record<string, unknown>, depth: number): Record<string, unknown> {
  const safe: Record<string, unknown> = {};
  for (const key of Object.keys(record)) {
    const value = record[key];
    if (value === undefined) continue;
    safe[key] = hidden.has(key.toLowerCase()) ? '***' : (shown.get(key) ?? safeValue)(value, depth);
  }
  return safe;
}

/** Plain data is copied, bounded; of anything else only what it is, since nobody knows what it holds. */
function safeValue(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return value.length > longestText ? `${value.slice(0, longestText)}…` : value;
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Error) return describeError(value);
  if (value instanceof URL) return `${value.protocol}//${value.host}${value.pathname}`;
  if (value instanceof Date) return value;
  if (depth >= deepest) return '…';
  if (Array.isArray(value)) return value.map((element) => safeValue(element, depth + 1));
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === null || prototype === Object.prototype) {
    return safeMembers(value as Record<string, unknown>, depth + 1);
  }
  return `[${(value.constructor as { name?: string } | undefined)?.name ?? 'object'}]`;
}

/**
 * An error: type, code, message, stack and causes. Other properties stay out: a RefusalError holds data of the
 * request, an undici error the socket.
 */
function describeError(error: Error, depth = 0): Record<string, unknown> {
  const { code, cause, stack } = error as Error & { code?: unknown };
  return {
    type: error.name,
    message: safeValue(error.message),
    ...(typeof code === 'string' ? { code } : {}),
    ...(stack === undefined ? {} : { stack: frames(stack) }),
    ...(cause instanceof Error && depth < deepest ? { cause: describeError(cause, depth + 1) } : {}),
  };
}

/** The frames of a stack without its head, which would repeat the message unbounded. */
function frames(stack: string): string {
  return stack
    .split('\n')
    .filter((line) => line.startsWith('    at '))
    .join('\n');
}

function clientText(value: unknown): unknown {
  return typeof value === 'string' ? clean(value, 64) : safeValue(value);
}

function tenths(value: unknown): unknown {
  return typeof value === 'number' ? Math.round(value * 10) / 10 : safeValue(value);
}
