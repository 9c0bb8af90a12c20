/** Child processes of the benchmark: on a core of their own where there are two, and what CPU they used. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';

const children = new Set();

/** Proxies run on the first core, generator and upstream on the second. */
export const cores = { proxy: '0', others: '1' };

function pinned(core, command, args) {
  return availableParallelism() > 1 ? ['taskset', ['-c', core, command, ...args]] : [command, args];
}

/** Starts `command` on `core`; it ends with the benchmark at the latest. */
export function start(core, command, args, stdio) {
  const child = spawn(...pinned(core, command, args), { stdio });
  children.add(child);
  child.once('exit', () => children.delete(child));
  return child;
}

/** Starts a module of this folder and waits for its first message. */
export async function startModule(core, name, args = [], stdout = 'inherit') {
  const file = fileURLToPath(new URL(name, import.meta.url));
  const child = start(core, process.execPath, [file, ...args], ['ignore', stdout, 'inherit', 'ipc']);
  const [hello] = await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(([code]) => Promise.reject(new Error(`${name} ended with ${code}`))),
  ]);
  return { child, hello };
}

/** Ends all children. */
export async function stopAll() {
  const ends = [...children].map((child) => once(child, 'exit'));
  for (const child of children) child.kill();
  await Promise.all(ends);
}

/** The process and those it started, their children included. */
function family(pid) {
  const list = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return [pid, ...(list === '' ? [] : list.split(' ').flatMap((child) => family(Number(child))))];
}

/** CPU time, user and system, of a process with all its threads and workers so far, in milliseconds. */
export function cpuMs(pid) {
  let ns = 0;
  for (const member of family(pid)) {
    for (const thread of readdirSync(`/proc/${member}/task`)) {
      ns += Number(readFileSync(`/proc/${member}/task/${thread}/schedstat`, 'utf8').split(' ')[0]);
    }
  }
  return ns / 1e6;
}
