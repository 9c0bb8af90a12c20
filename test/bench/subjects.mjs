/** What is compared. Each `start` takes the upstream's port and gives the port and the process to measure. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { cores, start, startModule } from './processes.mjs';

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
  for (let attempt = 0; attempt < 100; attempt++) {
    const open = await new Promise((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false));
      socket.once('connect', () => socket.destroy());
    });
    if (open) return;
    await sleep(50);
  }
  throw new Error('nginx does not listen');
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

function nodeProxy(file) {
  return async (upstream) => {
    const { child, hello } = await startModule(cores.proxy, file, [String(upstream)]);
    return { port: hello.port, pid: child.pid };
  };
}

/** The rows of the table, the yardsticks first. `missing` says why one cannot run. */
export const subjects = [
  {
    name: 'nginx',
    start: startNginx,
    ...(hasNginx ? {} : { missing: 'nginx is not installed (Debian: apt-get install nginx)' }),
  },
  { name: '@fastify/http-proxy', start: nodeProxy('proxy-fastify.mjs') },
  { name: 'pass-through', start: nodeProxy('proxy-pass-through.mjs') },
];
