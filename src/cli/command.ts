/** What a subcommand is, and how its arguments are read. */
import { parseArgs, type ParseArgsConfig } from 'node:util';
import { nearest } from '../config/nearest.js';

/** What the process ends with. */
export const exitCodes = {
  ok: 0,
  failed: 1,
  usage: 2,
  config: 3,
} as const;

/** For the help. */
export const exitCodeWords: readonly (readonly [number, string])[] = [
  [exitCodes.ok, 'it worked'],
  [exitCodes.failed, 'it failed at run time: a port is taken, an upstream could not be probed'],
  [exitCodes.usage, 'the command line is wrong'],
  [exitCodes.config, 'the configuration is not valid'],
];

/** The command line is wrong; the message says how. */
export class UsageError extends Error {}

/** It failed at run time, for a reason that one sentence tells. */
export class RunError extends Error {}

/** One flag. */
export interface Flag {
  /** What stands after it, such as `HOST:PORT`; without it the flag stands alone. */
  readonly value?: string;
  readonly multiple?: true;
  readonly help: string;
}

/** The arguments of one subcommand, read. */
export interface Arguments {
  readonly positionals: readonly string[];
  /** The value of a flag; the last, where it was given more than once. */
  one(flag: string): string | undefined;
  /** All values of a flag. */
  all(flag: string): readonly string[];
  /** Whether a flag without a value was given. */
  has(flag: string): boolean;
}

/** One subcommand. */
export interface Command {
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** The names of the positional arguments, all required. */
  readonly positionals: readonly string[];
  readonly flags: Readonly<Record<string, Flag>>;
  /** What the help says below the flags. */
  readonly notes?: string;
  /** Returns the exit code. Throws UsageError, RunError or ConfigError. */
  run(args: Arguments): Promise<number>;
}

type Options = NonNullable<ParseArgsConfig['options']>;

/** Every subcommand has it. */
export const helpFlag: Flag = { help: 'Print this help' };

/** Reads the arguments that follow the name of `command`. Throws UsageError. */
export function readArguments(command: Command, args: readonly string[]): Arguments {
  const options: Options = { help: { type: 'boolean', short: 'h' } };
  for (const [name, { value }] of Object.entries(command.flags)) {
    options[name] = value === undefined ? { type: 'boolean' } : { type: 'string', multiple: true };
  }
  const loose = parseArgs({ args: [...args], options, strict: false, tokens: true });
  for (const token of loose.tokens) {
    if (token.kind === 'option' && !Object.hasOwn(options, token.name)) throw unknownFlag(token.rawName, options);
  }
  const { values, positionals } = strictly(args, options);
  const has = (flag: string): boolean => values[flag] === true;
  if (!has('help')) countPositionals(command, positionals);
  const all = (flag: string): readonly string[] => (values[flag] as string[] | undefined) ?? [];
  return { positionals, all, has, one: (flag) => all(flag).at(-1) };
}

function strictly(args: readonly string[], options: Options): ReturnType<typeof parseArgs> {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function unknownFlag(written: string, options: Options): UsageError {
  const meant = nearest(written.replace(/^-+/, ''), Object.keys(options));
  return new UsageError(`unknown flag ${written}${meant === undefined ? '' : `; did you mean --${meant}?`}`);
}

function countPositionals({ positionals: names }: Command, given: readonly string[]): void {
  const missing = names[given.length];
  if (missing !== undefined) throw new UsageError(`${missing} is missing`);
  const extra = given[names.length];
  if (extra !== undefined) throw new UsageError(`unexpected argument ${JSON.stringify(extra)}`);
}
