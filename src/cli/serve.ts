/** `serve`: runs the gateway until it is told to stop. */
import { ConfigError, configFromFlags, loadConfig, type Flags } from '../config/load.js';
import type { Config } from '../config/types.js';
import { startGateway } from '../main.js';
import { UsageError, type Arguments, type Command } from './command.js';
import { listening, runUntilSignal } from './lifetime.js';

export const serve: Command = {
  name: 'serve',
  summary: 'Run the gateway',
  positionals: [],
  flags: {
    config: { value: 'FILE', help: 'Read this YAML file (see config/example.yaml)' },
    listen: { value: 'HOST:PORT', help: 'Where clients connect; 127.0.0.1:8080 without it, port 0 takes a free one' },
    upstream: { value: '[NAME=]URL', multiple: true, help: 'An MCP server, at /NAME/mcp; a single one at /mcp too' },
    admin: { value: 'HOST:PORT|off', help: 'Where /metrics, /healthz and /readyz are; 127.0.0.1:9464 without it' },
    'log-level': { value: 'LEVEL', help: 'fatal, error, warn, info, debug, trace or silent' },
    'log-format': { value: 'FORMAT', help: 'json or pretty' },
  },
  notes:
    'Flags go over the file. SIGTERM and SIGINT end it within shutdown.grace; a second one ends it at once.\n' +
    'Example: mcp-resilience serve --upstream weather=http://127.0.0.1:3001/mcp',
  async run(args) {
    const config = configOf(args);
    const gateway = await listening(startGateway(config), 'choose another with --listen or --admin, or in the file');
    return runUntilSignal(() => gateway.close(), config.shutdownGrace);
  },
};

function configOf(args: Arguments): Config {
  const file = args.one('config');
  const flags = {
    listen: args.one('listen'),
    upstreams: args.all('upstream'),
    admin: args.one('admin'),
    logLevel: args.one('log-level'),
    logFormat: args.one('log-format'),
  };
  if (file === undefined && flags.upstreams.length === 0) {
    throw new UsageError('there is nothing to serve: give --config FILE or --upstream URL (or try the demo command)');
  }
  return withFlags(flags, file === undefined ? undefined : loadConfig(file));
}

/** `base` with the flags over it. Throws a UsageError that names what is wrong with each flag. */
export function withFlags(flags: Flags, base?: Config): Config {
  try {
    return configFromFlags(flags, base);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new UsageError(error.problems.map(({ key, message }) => `${key}: ${message}`).join('\n'));
  }
}
