/** From "it listens" to the end of the process. */
import { exitCodes, RunError } from './command.js';

/** How much longer than its grace a close may take before the process is ended under it, in ms. */
const margin = 1_000;

/** A signal this soon after the first is the same: of one Ctrl-C, the terminal and `npm` both tell us. In ms. */
const echo = 500;

/**
 * Waits for SIGTERM or SIGINT and then for `close`, which has `grace` milliseconds to let open work end. A second
 * signal, or a close that hangs, ends the process at once. Returns the exit code.
 */
export async function runUntilSignal(close: () => Promise<void>, grace: number): Promise<number> {
  await new Promise<void>((resolve) => {
    for (const signal of signals) process.once(signal, () => resolve());
  });
  const first = performance.now();
  const again = (): void => void (performance.now() - first > echo && process.exit(exitCodes.failed));
  for (const signal of signals) process.on(signal, again);
  const hung = setTimeout(() => {
    process.stderr.write('mcp-resilience: open work did not end within shutdown.grace; leaving it\n');
    process.exit(exitCodes.failed);
  }, grace + margin);
  await close();
  clearTimeout(hung);
  return exitCodes.ok;
}

const signals = ['SIGTERM', 'SIGINT'] as const;

type Explain = (at: string) => string;

/** Why an address cannot be listened on, by the code of the system. */
const reasons = new Map<string, Explain>([
  ['EADDRINUSE', (at) => `cannot listen on ${at}: the port is taken`],
  ['EACCES', (at) => `cannot listen on ${at}: this user may not open that port`],
  ['EADDRNOTAVAIL', (at) => `cannot listen on ${at}: this machine has no such address`],
  ['ENOTFOUND', (at) => `cannot listen on ${at}: the host name is not known`],
]);

interface ListenError extends NodeJS.ErrnoException {
  readonly address?: string;
  readonly hostname?: string;
  readonly port?: number;
}

/** Awaits something that listens; an address that cannot be had becomes a RunError that ends in `advice`. */
export async function listening<T>(started: Promise<T>, advice: string): Promise<T> {
  try {
    return await started;
  } catch (error) {
    const { code, address, hostname, port } = error as ListenError;
    const explain = reasons.get(code ?? '');
    if (explain === undefined) throw error;
    const host = address ?? hostname ?? '';
    const at = port === undefined ? host : `${host.includes(':') ? `[${host}]` : host}:${port}`;
    throw new RunError(`${explain(at)}; ${advice}`, { cause: error });
  }
}
