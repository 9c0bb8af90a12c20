/** `check FILE`: is this configuration valid, and what does it come to? */
import { ConfigError, describeConfig, formatProblem, loadConfig } from '../config/load.js';
import { exitCodes, type Command } from './command.js';

export const check: Command = {
  name: 'check',
  summary: 'Check a configuration file',
  positionals: ['FILE'],
  flags: {},
  notes:
    'Prints FILE:LINE:COLUMN KEY: MESSAGE for every problem, or the whole configuration as it will be used,\n' +
    'with defaults filled in and secrets hidden. Variables of the environment are needed as for serve.',
  run: async ({ positionals: [file = ''] }) => Promise.resolve(checkFile(file)),
};

function checkFile(file: string): number {
  try {
    const config = loadConfig(file);
    process.stdout.write(`# ${file} is valid; this is what it comes to:\n${describeConfig(config)}`);
    return exitCodes.ok;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    for (const problem of error.problems) process.stdout.write(`${formatProblem(problem)}\n`);
    return exitCodes.config;
  }
}
