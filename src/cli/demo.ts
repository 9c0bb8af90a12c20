/** `demo`: two embedded servers, one of each era, and the gateway in front of them. */
import { startDemoUpstream } from '../demo/index.js';
import { startGateway } from '../main.js';
import type { Era } from '../wire/meta-keys.js';
import { UsageError, type Arguments, type Command } from './command.js';
import { demoGuide } from './demo-guide.js';
import { listening, runUntilSignal } from './lifetime.js';
import { withFlags } from './serve.js';

export const demo: Command = {
  name: 'demo',
  summary: 'Try it: the gateway in front of two embedded demo servers',
  positionals: [],
  flags: {
    listen: { value: 'HOST:PORT', help: 'Where clients connect; 127.0.0.1:8080 without it' },
    admin: { value: 'HOST:PORT|off', help: 'Where /metrics, /healthz and /readyz are; 127.0.0.1:9464 without it' },
    only: { value: 'modern|legacy', help: 'Only this demo server, at --listen, and no gateway' },
  },
  async run(args) {
    const only = args.one('only');
    return only === undefined ? runGateway(args) : runServer(eraOf(only), args);
  },
};

const loopback = { host: '127.0.0.1', port: 0 };

async function runGateway(args: Arguments): Promise<number> {
  const flags = { listen: args.one('listen'), admin: args.one('admin'), upstreams: [] };
  withFlags(flags);
  const servers = await Promise.all([startDemoUpstream('modern', loopback), startDemoUpstream('legacy', loopback)]);
  const closeServers = (): Promise<unknown> => Promise.all(servers.map((server) => server.close()));
  try {
    const [modern, legacy] = servers;
    const config = withFlags({ ...flags, upstreams: [`modern=${modern.url}`, `legacy=${legacy.url}`] });
    const gateway = await listening(startGateway(config), 'choose another with --listen or --admin');
    process.stdout.write(demoGuide({ gateway: gateway.addresses.gateway, admin: gateway.addresses.admin }));
    return await runUntilSignal(() => gateway.close(), config.shutdownGrace);
  } finally {
    await closeServers();
  }
}

async function runServer(era: Era, args: Arguments): Promise<number> {
  const { listen, shutdownGrace } = withFlags({ listen: args.one('listen'), upstreams: [] });
  const server = await listening(startDemoUpstream(era, listen), 'choose another with --listen');
  process.stdout.write(`The ${era} demo server listens on ${server.url}\n`);
  return runUntilSignal(() => server.close(), shutdownGrace);
}

function eraOf(text: string): Era {
  if (text === 'modern' || text === 'legacy') return text;
  throw new UsageError(`--only: expected modern or legacy, found ${JSON.stringify(text)}`);
}
