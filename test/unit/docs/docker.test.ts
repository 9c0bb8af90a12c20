/** The configurations under docker/ are ones that the gateway accepts, and they fit what stands around them. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { parse, parseAllDocuments } from 'yaml';
import { loadConfig } from '../../../src/config/load.js';

const docker = fileURLToPath(new URL('../../../docker', import.meta.url));
const text = (name: string) => readFileSync(join(docker, name), 'utf8');

void t.test('the configuration in the image needs nothing, and takes its upstream from the environment', async (t) => {
  const file = join(docker, 'gateway.yaml');
  const plain = loadConfig(file, {});
  t.equal(plain.upstreams.get('upstream')?.url.href, 'http://127.0.0.1:3000/mcp');
  t.same(plain.listen, { host: '0.0.0.0', port: 8080 });
  t.same(plain.admin, { host: '0.0.0.0', port: 9464 }, 'the port of HEALTHCHECK');

  const env = { UPSTREAM_URL: 'https://mcp.example.com/x', ALLOW_HOST: 'gateway.example.com', LOG_LEVEL: 'debug' };
  const set = loadConfig(file, env);
  t.equal(set.upstreams.get('upstream')?.url.href, env.UPSTREAM_URL);
  t.same(set.allow.hosts, [env.ALLOW_HOST]);
  t.equal(set.log.level, 'debug');
});

void t.test('the compose demo calls the servers that it starts', async (t) => {
  const { services } = parse(text('compose.yaml'), { merge: true }) as {
    services: Record<string, { command?: string[] }>;
  };
  const { upstreams } = loadConfig(join(docker, 'demo.yaml'), {});
  t.same([...upstreams.keys()].sort(), ['legacy', 'modern']);
  for (const [name, { url }] of upstreams) {
    t.same(services[name]?.command, ['demo', '--only', name, '--listen', `0.0.0.0:${url.port}`]);
    t.equal(url.hostname, name);
  }
});

void t.test('the Kubernetes example configures the ports that it probes', async (t) => {
  const documents = parseAllDocuments(text('kubernetes-sidecar.yaml')).map((document) => document.toJS());
  const [map, deployment] = documents;
  const file = join(t.testdir(), 'config.yaml');
  writeFileSync(file, map.data['config.yaml']);
  const config = loadConfig(file, {});
  const { containers } = deployment.spec.template.spec;
  const [server, gateway] = containers;
  t.same(gateway.ports, [
    { name: 'mcp', containerPort: config.listen.port },
    { name: 'admin', containerPort: config.admin?.port },
  ]);
  const port = server.env.find((variable: { name: string }) => variable.name === 'PORT').value;
  t.equal(config.upstreams.get('weather')?.url.port, port);
});
