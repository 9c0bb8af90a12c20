/**
 * npm run bench [-- --quick] [--only NAME,…] [--connections N]: what a request costs through each proxy, in one run.
 * The proxies take turns within every round, so that a noisy machine is noisy for all; medians over the rounds.
 * "CPU" is user and system time of the proxy's processes per 1,000 requests, from the kernel's scheduler.
 */
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { cores, cpuMs, startModule, stopAll } from './processes.mjs';
import { subjects } from './subjects.mjs';
import { pathOf, workloads } from './workloads.mjs';

const { values: flags } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string' },
    workloads: { type: 'string' },
    connections: { type: 'string', default: '16' },
  },
});
const connections = Number(flags.connections);
const rounds = flags.quick ? 3 : 5;
const ms = flags.quick ? 400 : 1_200;
const warmUp = flags.quick ? 300 : 900;

function chosen(names, flag) {
  return flag === undefined ? names : names.filter((name) => flag.split(',').includes(name));
}

/** Starts a proxy, and opens what each of its clients needs at each path. */
async function startProxy({ name, client, start, open }, upstream, names) {
  const { port, pid } = await start(upstream);
  const opened = new Map(names.map((workload) => [workload, Array(connections).fill({})]));
  if (open) {
    for (const [workload, each] of opened) {
      for (let n = 0; n < connections; n++) each[n] = await open(port, pathOf(workload));
    }
  }
  return { name, client, port, pid, opened };
}

/** One burst of load against one proxy. */
async function measure(load, proxy, workload, duration) {
  const { body, headers } = workloads[workload].request[proxy.client];
  const each = proxy.opened.get(workload).map((own) => ({ ...headers, ...own }));
  const before = cpuMs(proxy.pid);
  load.send({ port: proxy.port, path: pathOf(workload), body, each, ms: duration });
  const [report] = await once(load, 'message');
  if (report.error) throw new Error(`${proxy.name}, ${workload}: ${report.error}`);
  const cpu = ((cpuMs(proxy.pid) - before) / report.requests) * 1000;
  return { cpu, p50: report.p50, p99: report.p99, perSecond: report.requests / report.seconds };
}

function median(numbers) {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
}

function medians(samples) {
  const keys = Object.keys(samples[0]);
  return Object.fromEntries(keys.map((key) => [key, median(samples.map((sample) => sample[key]))]));
}

/** Runs all rounds: proxy → workload → medians. */
async function run(proxies, names, load) {
  const samples = new Map(proxies.map((proxy) => [proxy.name, new Map(names.map((name) => [name, []]))]));
  for (const proxy of proxies) for (const name of names) await measure(load, proxy, name, warmUp);
  for (let round = 0; round < rounds; round++) {
    for (const name of names) {
      const turn = round % proxies.length;
      for (const proxy of [...proxies.slice(turn), ...proxies.slice(0, turn)]) {
        samples
          .get(proxy.name)
          .get(name)
          .push(await measure(load, proxy, name, ms));
      }
    }
  }
  return new Map(
    [...samples].map(([proxy, of]) => [proxy, new Map([...of].map(([name, list]) => [name, medians(list)]))]),
  );
}

function table(results, names) {
  const ratio = (value, of) => (of === undefined ? '' : `${(value / of).toFixed(2)}×`);
  console.log(
    '| answer | proxy | CPU ms / 1,000 | × nginx | × http-proxy | p50 ms | p99 ms | p99 × nginx | requests/s |',
  );
  console.log('|---|---|---|---|---|---|---|---|---|');
  for (const name of names) {
    const nginx = results.get('nginx')?.get(name);
    const fastify = results.get('@fastify/http-proxy')?.get(name);
    for (const [proxy, of] of results) {
      const { cpu, p50, p99, perSecond } = of.get(name);
      const cells = [
        `${name} (${workloads[name].about})`,
        proxy,
        cpu.toFixed(1),
        ratio(cpu, nginx?.cpu),
        ratio(cpu, fastify?.cpu),
        p50.toFixed(2),
        p99.toFixed(2),
        ratio(p99, nginx?.p99),
        perSecond.toFixed(0),
      ];
      console.log(`| ${cells.join(' | ')} |`);
    }
  }
}

try {
  const names = chosen(Object.keys(workloads), flags.workloads);
  const { hello: stub } = await startModule(cores.others, 'stub.mjs');
  const { child: load } = await startModule(cores.others, 'load.mjs');
  const proxies = [];
  for (const subject of subjects.filter(({ name }) => chosen([name], flags.only).length > 0)) {
    try {
      if (subject.missing) throw new Error(subject.missing);
      proxies.push(await startProxy(subject, stub.port, names));
    } catch (error) {
      console.error(`without ${subject.name}: ${error.message}`);
    }
  }
  console.log(`Node ${process.version}, ${connections} connections, medians of ${rounds} rounds of ${ms} ms;`);
  console.log('upstream and generator are Node processes on bare sockets, on a core of their own.\n');
  table(await run(proxies, names, load), names);
} finally {
  await stopAll();
}
