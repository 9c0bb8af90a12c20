#!/usr/bin/env node
/** The command line: finds the subcommand, runs it, and turns what it throws into a message and an exit code. */
import { readFileSync } from 'node:fs';
import { ConfigError } from '../config/load.js';
import { nearest } from '../config/nearest.js';
import { exitCodes, readArguments, RunError, UsageError, type Command } from './command.js';
import { commandHelp, generalHelp } from './help.js';

/** Loaded when wanted: `check` need not wait for an HTTP server and two SDKs. */
const commands = new Map<string, () => Promise<Command>>([
  ['serve', async () => (await import('./serve.js')).serve],
  ['check', async () => (await import('./check.js')).check],
  ['probe', async () => (await import('./probe.js')).probe],
  ['demo', async () => (await import('./demo.js')).demo],
]);

async function main([word, ...rest]: readonly string[]): Promise<number> {
  switch (word) {
    case undefined:
      throw new UsageError('a command is missing');
    case '--version':
      return print(`${version()}\n`);
    case '--help':
    case '-h':
    case 'help':
      return print(rest[0] === undefined ? generalHelp(await allCommands()) : commandHelp(await commandOf(rest[0])));
    default: {
      const command = await commandOf(word);
      const args = readArguments(command, rest);
      return args.has('help') ? print(commandHelp(command)) : command.run(args);
    }
  }
}

function allCommands(): Promise<Command[]> {
  return Promise.all([...commands.values()].map((load) => load()));
}

async function commandOf(word: string): Promise<Command> {
  const load = commands.get(word);
  if (load !== undefined) return load();
  const isFlag = word.startsWith('-');
  const meant = nearest(word, isFlag ? ['--help', '--version'] : [...commands.keys(), 'help']);
  const suggestion = meant === undefined ? '' : `; did you mean ${meant}?`;
  throw new UsageError(`unknown ${isFlag ? 'flag' : 'command'} ${word}${suggestion}`);
}

function print(text: string): number {
  process.stdout.write(text);
  return exitCodes.ok;
}

function version(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

/** Says on stderr what went wrong, and returns the exit code for it. */
function report(error: unknown, word: string | undefined): number {
  const say = (text: string): void => void process.stderr.write(`${text}\n`);
  if (error instanceof UsageError) {
    say(`mcp-resilience: ${error.message}`);
    say(`See: mcp-resilience help${word !== undefined && commands.has(word) ? ` ${word}` : ''}`);
    return exitCodes.usage;
  }
  if (error instanceof ConfigError) {
    say(error.message);
    return exitCodes.config;
  }
  say(`mcp-resilience: ${error instanceof RunError ? error.message : ((error as Error).stack ?? String(error))}`);
  return exitCodes.failed;
}

// `… | head` closes the pipe when it has seen enough; what is missing then is missed by nobody.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

const args = process.argv.slice(2);
try {
  process.exitCode = await main(args);
} catch (error) {
  process.exitCode = report(error, args[0]);
}
