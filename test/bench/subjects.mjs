/** What is compared. Each `start` takes the upstream's port and gives the port and the process to measure. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fetch } from 'undici';
import { cores, start, startModule } from './processes.mjs';
import { initialize, pathOf, workloads } from './workloads.mjs';

const hasNginx = spawnSync('nginx', ['-v']).status === 0;

/** One worker, keep-alive both ways, no buffering, no log: the least that nginx can do here. */
function nginxConfig(folder, port, upstream) {
  return `
    daemon off; worker_processes 1; pid ${folder}/pid; error_log ${folder}/error.log;
    events { worker_connections 1024; }
    http {
      access_log off; keepalive_requests 100000000; client_max_body_size 0;
      client_body_temp_path ${folder}; proxy_temp_path ${folder}; fastcgi_temp_path ${folder};
      uwsgi_temp_path ${folder}; scgi_temp_path ${folder};
      upstream stub { server 127.0.0.1:${upstream}; keepalive 256; keepalive_requests 100000000; }
      server {
        listen 127.0.0.1:${port};
        location / { proxy_pass http://stub; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_buffering off; }
      }
    }`;
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function listening(port) {
  for (let attempt = 0; attempt < 200; attempt++) {
    const open = await new Promise((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false));
      socket.once('connect', () => socket.destroy());
    });
    if (open) return;
    await sleep(50);
  }
  throw new Error(`nobody listens at port ${port}`);
}

async function startNginx(upstream) {
  const folder = mkdtempSync(join(tmpdir(), 'bench-nginx-'));
  const port = await freePort();
  const file = join(folder, 'nginx.conf');
  writeFileSync(file, nginxConfig(folder, port, upstream));
  const child = start(cores.proxy, 'nginx', ['-p', folder, '-c', file], ['ignore', 'inherit', 'inherit']);
  await listening(port);
  return { port, pid: child.pid };
}

/** The gateway; the lines that it logs go nowhere. */
async function startGateway(upstream) {
  const file = join(mkdtempSync(join(tmpdir(), 'bench-gateway-')), 'config.yaml');
  const entries = Object.keys(workloads).map(
    (name) => `  ${name}: { url: 'http://127.0.0.1:${upstream}${pathOf(name)}', era: modern }\n`,
  );
  writeFileSync(file, `listen: { port: 0 }\nadmin: { port: 0 }\nupstreams:\n${entries.join('')}`);
  const { child, hello } = await startModule(cores.proxy, 'proxy-gateway.mjs', [file], 'ignore');
  return { port: hello.port, pid: child.pid };
}

/** The session of a legacy client at one path, as the header that names it. */
async function openSession(port, path) {
  const accept = 'application/json, text/event-stream';
  const headers = { 'content-type': 'application/json', accept, ...initialize.headers };
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', headers, body: initialize.body });
  const session = response.headers.get('mcp-session-id');
  if (session === null) throw new Error(`initialize was answered ${response.status}: ${await response.text()}`);
  return { 'mcp-session-id': session };
}

function nodeProxy(file) {
  return async (upstream) => {
    const { child, hello } = await startModule(cores.proxy, file, [String(upstream)]);
    return { port: hello.port, pid: child.pid };
  };
}

/**
 * The rows of the table, the yardsticks first. `client` is the era of the requests that are sent, `open` gives
 * the headers that each client needs before its first request; `missing` says why a row cannot run.
 */
export const subjects = [
  {
    name: 'nginx',
    client: 'modern',
    start: startNginx,
    ...(hasNginx ? {} : { missing: 'nginx is not installed (Debian: apt-get install nginx)' }),
  },
  { name: '@fastify/http-proxy', client: 'modern', start: nodeProxy('proxy-fastify.mjs') },
  { name: 'passThrough alone', client: 'modern', start: nodeProxy('proxy-pass-through.mjs') },
  { name: 'gateway: pass-through', client: 'modern', start: startGateway },
  { name: 'gateway: legacy → modern', client: 'legacy', start: startGateway, open: openSession },
];
