#!/usr/bin/env node
/** The command line: finds the subcommand, runs it, and turns what it throws into a message and an exit code. */
import { readFileSync } from 'node:fs';
import { ConfigError } from '../config/load.js';
import { nearest } from '../config/nearest.js';
import { check } from './check.js';
import { exitCodes, readArguments, RunError, UsageError, type Command } from './command.js';
import { demo } from './demo.js';
import { commandHelp, generalHelp } from './help.js';
import { probe } from './probe.js';
import { serve } from './serve.js';

const commands: readonly Command[] = [serve, check, probe, demo];

async function main([word, ...rest]: readonly string[]): Promise<number> {
  switch (word) {
    case undefined:
      throw new UsageError('a command is missing');
    case '--version':
      return print(`${version()}\n`);
    case '--help':
    case '-h':
      return print(generalHelp(commands));
    case 'help':
      return print(rest[0] === undefined ? generalHelp(commands) : commandHelp(commandOf(rest[0])));
    default: {
      const command = commandOf(word);
      const args = readArguments(command, rest);
      return args.has('help') ? print(commandHelp(command)) : command.run(args);
    }
  }
}

function commandOf(word: string): Command {
  const command = commands.find(({ name }) => name === word);
  if (command !== undefined) return command;
  const known = word.startsWith('-') ? ['--help', '--version'] : [...commands.map(({ name }) => name), 'help'];
  const meant = nearest(word, known);
  const kind = word.startsWith('-') ? 'flag' : 'command';
  throw new UsageError(`unknown ${kind} ${word}${meant === undefined ? '' : `; did you mean ${meant}?`}`);
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
    const command = commands.find(({ name }) => name === word);
    say(`mcp-resilience: ${error.message}`);
    say(`See: mcp-resilience help${command === undefined ? '' : ` ${command.name}`}`);
    return exitCodes.usage;
  }
  if (error instanceof ConfigError) {
    say(error.message);
    return exitCodes.config;
  }
  say(`mcp-resilience: ${error instanceof RunError ? error.message : ((error as Error).stack ?? String(error))}`);
  return exitCodes.failed;
}

const args = process.argv.slice(2);
try {
  process.exitCode = await main(args);
} catch (error) {
  process.exitCode = report(error, args[0]);
}
