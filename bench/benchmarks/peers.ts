/** Compares the events per second of the emulator with other programs that send webhooks. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Benchmark, BenchmarkContext } from '../benchmark.ts';
import { ARRIVAL_LIMIT_MS, MANY_ENDPOINTS, registerEndpoints, toTarget } from '../event-load.ts';
import { saturate, type Target } from '../load.ts';
import { peers as known, type Peer } from '../peer-programs.ts';
import { programs, startPeer, startProgram } from '../programs.ts';
import { type Receiver, startReceiver } from '../receiver.ts';
import type { Finding } from '../report.ts';
import { alternate, median } from '../statistics.ts';

const INSTALL_LIMIT_MS = 300_000;
const WARM_UP_MS = 6_000;
const LOAD_MS = 4_000;
/** Events per batch during warm-up. */
const BATCH = 500;

/** A running program. */
interface Running {
  readonly target: Target;
  readonly processorMs: () => number;
}

interface Run {
  readonly perSecond: number;
  /** Processor time of the program per event, which other work on the machine affects little. */
  readonly processorMs: number;
}

interface Installed {
  readonly name: string;
  readonly peer: Peer;
  readonly folder: string;
}

export const peers: Benchmark = async (bench) => {
  const receiver = await startReceiver();
  const installed: Installed[] = [];
  for (const peer of known) {
    const folder = join(bench.folder, peer.name);
    const name = await skipOnError(bench, peer.name, () => install(peer, folder, receiver, bench));
    if (name !== null) installed.push({ name, peer, folder });
  }
  let runs = 0;
  const results = await alternate<string, Run | null>(bench.rounds, {
    svc: () => runEmulator(join(bench.folder, `peers-${runs++}.db`), receiver, bench),
    ...Object.fromEntries(
      installed.map((each) => [
        each.name,
        () => skipOnError(bench, each.name, () => runPeer(each, receiver, bench)),
      ]),
    ),
  });
  receiver.close();
  return toFindings(results);
};

/** Skips a program that cannot be measured, with a note. */
async function skipOnError<Value>(
  bench: BenchmarkContext,
  name: string,
  act: () => Promise<Value>,
): Promise<Value | null> {
  try {
    return await act();
  } catch (error) {
    bench.note(`${name} is skipped: ${(error as Error).message.split('\n').slice(0, 3).join(' ')}`);
    return null;
  }
}

/** Installs a peer and lets it deliver one webhook. @returns its name with its version. */
async function install(
  peer: Peer,
  folder: string,
  receiver: Receiver,
  bench: BenchmarkContext,
): Promise<string> {
  const wanted = `${peer.package}@${peer.range}`;
  bench.note(`npm install ${wanted} into ${folder}`);
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  await promisify(execFile)(
    'npm',
    ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', wanted],
    { cwd: folder, timeout: INSTALL_LIMIT_MS, shell: process.platform === 'win32' },
  );
  for (const [file, text] of Object.entries(peer.files(receiver.url))) {
    writeFileSync(join(folder, file), text);
  }
  const manifest = readFileSync(join(folder, 'node_modules', peer.package, 'package.json'), 'utf8');
  const name = `${peer.name} ${(JSON.parse(manifest) as { version: string }).version}`;
  await withPeer({ name, peer, folder }, receiver, ({ target }) => deliver(target, 1, receiver));
  return name;
}

function runPeer(installed: Installed, receiver: Receiver, bench: BenchmarkContext): Promise<Run> {
  return withPeer(installed, receiver, (running) => measure(installed.name, running, receiver, bench));
}

async function withPeer<Value>(
  { peer, folder }: Installed,
  receiver: Receiver,
  act: (running: Running) => Promise<Value>,
): Promise<Value> {
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const { processorMs, stop } = await startPeer(peer.command(port, receiver.url), folder, url);
  try {
    return await act({ target: peer.target(url), processorMs });
  } finally {
    await stop();
  }
}

async function runEmulator(db: string, receiver: Receiver, bench: BenchmarkContext): Promise<Run> {
  const emulator = await startProgram(programs.emulator, [db, 'FULL']);
  try {
    await registerEndpoints(emulator, receiver.url, MANY_ENDPOINTS);
    const { processorMs } = emulator;
    return await measure('svc', { target: toTarget(emulator, MANY_ENDPOINTS), processorMs }, receiver, bench);
  } finally {
    await emulator.stop();
  }
}

/** All programs get the same warm-up time and about the same measuring time. */
async function measure(
  name: string,
  { target, processorMs }: Running,
  receiver: Receiver,
  bench: BenchmarkContext,
): Promise<Run> {
  const [warmUpMs, loadMs] = bench.quick ? [0, 500] : [WARM_UP_MS, LOAD_MS];
  const warmAt = performance.now() + warmUpMs;
  let pace = await deliver(target, BATCH, receiver);
  while (performance.now() < warmAt) pace = await deliver(target, BATCH, receiver);
  const count = Math.ceil((pace * loadMs) / 1000);
  const before = processorMs();
  const perSecond = await deliver(target, count, receiver);
  bench.note(`${name}: ${Math.round(perSecond)} events/s`);
  return { perSecond, processorMs: (processorMs() - before) / count };
}

/** @returns events a second, from the first request until the last delivery has arrived. */
async function deliver(target: Target, count: number, receiver: Receiver): Promise<number> {
  receiver.reset();
  const startedAt = performance.now();
  await saturate(target, count, MANY_ENDPOINTS.connections);
  await receiver.until(count, ARRIVAL_LIMIT_MS);
  return (count / (performance.now() - startedAt)) * 1000;
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

function toFindings(results: Readonly<Record<string, readonly (Run | null)[]>>): Finding[] {
  const [svc, ...others] = Object.entries(results).map(([name, all]) => {
    const runs = all.filter((run) => run !== null);
    const of = (what: keyof Run) => median(runs.map((run) => run[what]));
    return { name, perSecond: of('perSecond'), processorMs: of('processorMs') };
  });
  const measured = others.filter(({ perSecond }) => !Number.isNaN(perSecond));
  if (svc === undefined || measured.length === 0) return [];
  const findings = measured.flatMap(({ name, perSecond, processorMs }): Finding[] => [
    {
      name: `events/s, svc against ${name}`,
      measured: { svc: svc.perSecond, peer: perSecond, ratio: svc.perSecond / perSecond },
    },
    {
      name: `ms of processor time an event, ${name}`,
      measured: { svc: svc.processorMs, peer: processorMs, ratio: processorMs / svc.processorMs },
    },
  ]);
  const fastest = Math.max(...measured.map(({ perSecond }) => perSecond));
  return [
    ...findings,
    {
      name: 'events/s, svc against the fastest peer',
      measured: { svc: svc.perSecond, peer: fastest },
      ratio: { value: svc.perSecond / fastest, floor: { min: 2.1 } },
    },
  ];
}
