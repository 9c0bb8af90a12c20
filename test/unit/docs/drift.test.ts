/** The generated pages say what the tables of the built gateway say (`npm test` builds first). */
import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const pages = ['errors.md', 'metrics.md'];

function generate(...args: string[]) {
  return spawnSync(process.execPath, [join(root, 'scripts/generate-docs.mjs'), ...args], {
    cwd: root,
    encoding: 'utf8',
  });
}

void t.test('docs/errors.md and docs/metrics.md are those of the tables', async (t) => {
  const { status, stdout, stderr } = generate('--check');
  t.equal(stdout + stderr, '');
  t.equal(status, 0);
});

void t.test('a page that was edited or is missing is found, named and written anew', async (t) => {
  const copy = t.testdir();
  cpSync(join(root, 'docs/errors.md'), join(copy, 'errors.md'));
  const edited = readFileSync(join(copy, 'errors.md'), 'utf8').replace('400', '418');
  writeFileSync(join(copy, 'errors.md'), edited);

  const found = generate('--check', copy);
  t.equal(found.status, 1);
  for (const page of pages) t.match(found.stdout, `${join(copy, page)} differs`);
  t.equal(readFileSync(join(copy, 'errors.md'), 'utf8'), edited, 'a check writes nothing');

  t.equal(generate(copy).status, 0);
  for (const page of pages)
    t.equal(readFileSync(join(copy, page), 'utf8'), readFileSync(join(root, 'docs', page), 'utf8'));
  t.equal(generate('--check', copy).status, 0);
});
