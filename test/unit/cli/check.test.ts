import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import t from 'tap';
import { run } from './run.js';

void t.test('a valid file: what it comes to, without secrets; exit code 0', async (t) => {
  const { code, stdout, stderr } = await run(['check', 'config/example.yaml'], { WEATHER_KEY: 's3cr3t' });
  t.equal(code, 0);
  t.equal(stderr, '');
  t.match(stdout, /^# config\/example.yaml is valid/);
  t.match(stdout, /X-Api-Key: "\*\*\*"/);
  t.match(stdout, /firstByte: 1m\n/);
  t.notMatch(stdout, 's3cr3t');
});

void t.test('broken files: each problem on a line, with its place; exit code 3', async (t) => {
  const folder = 'test/unit/config/broken';
  const files = readdirSync(folder);
  t.ok(files.length >= 10);
  for (const file of files) {
    const { code, stdout, stderr } = await run(['check', `${folder}/${file}`], {});
    t.equal(code, 3, file);
    t.equal(stderr, '');
    const lines = stdout.trimEnd().split('\n');
    for (const line of lines) t.match(line, /^test\/unit\/config\/broken\/[^:]+\.yaml:\d+:\d+( \S+)?: ./);
    t.notMatch(stdout, 's3cr3t');
  }
});

void t.test('a file that is not there', async (t) => {
  const { code, stdout } = await run(['check', 'none.yaml']);
  t.equal(code, 3);
  t.equal(stdout, 'none.yaml: there is no such file\n');
});

void t.test('serve refuses a broken file in the same words', async (t) => {
  const { code, stdout, stderr } = await run(['serve', '--config', 'test/unit/config/broken/02-duplicate-key.yaml']);
  t.equal(code, 3);
  t.equal(stdout, '');
  t.match(stderr, /02-duplicate-key.yaml:5:5 upstreams.weather.url: this key stands twice/);
});

void t.test('a reader that has seen enough breaks nothing', async (t) => {
  const child = spawn(process.execPath, ['dist/cli/index.js', 'check', 'config/example.yaml'], {
    env: { ...process.env, WEATHER_KEY: 'x' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stdout.destroy();
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number];
  t.equal(stderr, '');
  t.equal(code, 0);
});
