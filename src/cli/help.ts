/** The texts of `--help`, made from the table of commands. */
import { exitCodeWords, helpFlag, type Command, type Flag } from './command.js';

const program = 'mcp-resilience';

/** The help of the whole program. */
export function generalHelp(commands: readonly Command[]): string {
  return [
    `${program} lets MCP clients and servers of different protocol eras work with each other.`,
    '',
    'Usage:',
    ...commands.map((command) => `  ${synopsis(command)}`),
    `  ${program} help [COMMAND] | --help | --version`,
    '',
    'Commands:',
    ...columns(commands.map(({ name, summary }) => [name, summary])),
    '',
    ...exitCodeLines(),
    '',
  ].join('\n');
}

/** The help of one command. */
export function commandHelp(command: Command): string {
  const flags = Object.entries({ ...command.flags, help: helpFlag });
  return [
    `${command.summary}.`,
    '',
    `Usage: ${synopsis(command)}`,
    '',
    'Flags:',
    ...columns(flags.map(([name, flag]) => [flagName(name, flag), flag.help])),
    ...(command.notes === undefined ? [] : ['', command.notes]),
    '',
    ...exitCodeLines(),
    '',
  ].join('\n');
}

function synopsis({ name, positionals, flags }: Command): string {
  const optional = Object.entries(flags).map(([flag, about]) => {
    return `[${flagName(flag, about)}]${about.multiple ? '…' : ''}`;
  });
  return [program, name, ...positionals, ...optional].join(' ');
}

function flagName(name: string, { value }: Flag): string {
  return value === undefined ? `--${name}` : `--${name} ${value}`;
}

function exitCodeLines(): string[] {
  return ['Exit codes:', ...columns(exitCodeWords.map(([code, words]) => [String(code), words]))];
}

/** Lines of two columns. */
function columns(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
}
