/** The real command line as a process. `npm test` has built it. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Test } from 'tap';

const cli = 'dist/cli/index.js';

/** How long a process may take, in ms. */
const deadline = 30_000;

/** What a process has said, and how it ended. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `mcp-resilience ARGS` to its end. */
export async function run(args: readonly string[], env: NodeJS.ProcessEnv = process.env): Promise<Ended> {
  const child = spawn(process.execPath, [cli, ...args], { env, timeout: deadline, killSignal: 'SIGKILL' });
  return ended(child);
}

/** Collects what `child` says until it ends. */
async function ended(child: ChildProcess): Promise<Ended> {
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout, stderr };
}

/** A process that goes on until it is told to stop. */
export interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
}

/** Starts `mcp-resilience ARGS` and resolves when its output matches `ready`; ends it with the test. */
export async function start(t: Test, args: readonly string[], ready: RegExp): Promise<Running & { said: string }> {
  const child = spawn(process.execPath, [cli, ...args], { timeout: deadline, killSignal: 'SIGKILL' });
  t.teardown(() => child.kill('SIGKILL'));
  const end = ended(child);
  let said = '';
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (text: string) => {
      said += text;
      if (ready.test(said)) resolve();
    });
    void end.then(({ code, stderr }) => reject(new Error(`ended with ${code}: ${stderr}`)));
  });
  return { child, ended: end, said };
}
