/** Measures the cost of tens of thousands of endpoints, table rows and live stream clients. */
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Column, renderTable } from '../../src/cli/render/table.ts';
import type { Benchmark, BenchmarkContext } from '../benchmark.ts';
import { fillDatabase } from '../fill-database.ts';
import { programs, type RunningProgram, startProgram } from '../programs.ts';
import { startReceiver } from '../receiver.ts';
import type { Finding } from '../report.ts';
import { alternate, median, quantile } from '../statistics.ts';

const PROBE_PAUSE_MS = 5;
const LIMIT_MS = 300_000;
/** Time until the HTTP client, which loads after the start, is loaded. */
const LOADED_AFTER_MS = 1_500;

export const scale: Benchmark = async (bench) => [
  ...(await measureFanOut(bench)),
  await measureBoot(bench),
  await measureStreams(bench),
  measureTable(bench),
];

/** One event for many endpoints, and the response time of `/healthz` until all have received it. */
async function measureFanOut(bench: BenchmarkContext): Promise<Finding[]> {
  const endpoints = 1_000;
  const receiver = await startReceiver();
  const runs: { created: number; sent: number; p99: number; longest: number }[] = [];
  for (let round = 0; round < bench.rounds; round++) {
    const db = join(bench.folder, `fan-out-${round}.db`);
    fillDatabase({ db, events: 0, at: Date.now(), endpoints: { count: endpoints, url: receiver.url } });
    receiver.reset();
    const emulator = await startProgram(programs.emulator, [db, 'FULL', 'running'], bench);
    await sleep(LOADED_AFTER_MS);
    const probing = probe(emulator);
    const startedAt = performance.now();
    await createEvent(emulator);
    const created = performance.now() - startedAt;
    await receiver.until(endpoints, LIMIT_MS);
    const sent = performance.now() - startedAt;
    const waits = await probing.end();
    await emulator.stop();
    runs.push({ created, sent, p99: quantile(waits, 0.99), longest: quantile(waits, 1) });
  }
  receiver.close();
  const of = (what: keyof (typeof runs)[number]) => median(runs.map((run) => run[what]));
  return [
    {
      name: `ms for /healthz, p99, one event to ${endpoints} endpoints`,
      measured: { p99: of('p99'), longest: of('longest') },
      ratio: { value: of('p99') },
    },
    {
      name: `ms until it is created, and until all have it`,
      measured: { created: of('created'), received: of('sent') },
    },
  ];
}

async function measureBoot(bench: BenchmarkContext): Promise<Finding> {
  const endpoints = 1_000;
  const dbs = [0, endpoints].map((count) => {
    const db = join(bench.folder, `boot-${count}.db`);
    fillDatabase({ db, events: 0, at: Date.now(), endpoints: { count, url: 'http://127.0.0.1:9/' } });
    return db;
  });
  const boot = (db: string | undefined) => async () => {
    const emulator = await startProgram(programs.emulator, [db ?? '', 'FULL', 'frozen']);
    await emulator.stop();
    return emulator.bootMs;
  };
  const results = await alternate(bench.rounds, { without: boot(dbs[0]), with: boot(dbs[1]) });
  const [none, many] = [median(results.without), median(results.with)];
  return {
    name: `ms more to the first response with ${endpoints} endpoints`,
    measured: { with: many, without: none },
    ratio: { value: many - none },
  };
}

/** Clients that open the live stream and do not read it. */
async function measureStreams(bench: BenchmarkContext): Promise<Finding> {
  const clients = bench.quick ? 100 : 2_000;
  const db = join(bench.folder, 'streams.db');
  fillDatabase({ db, events: 0, at: Date.now() });
  const emulator = await startProgram(programs.emulator, [db, 'FULL', 'running'], bench);
  const sockets: Socket[] = [];
  try {
    for (let count = 0; count < clients; count++) sockets.push(await openStalled(emulator));
    const probing = probe(emulator);
    const times: number[] = [];
    for (let event = 0; event < 20; event++) {
      const startedAt = performance.now();
      await createEvent(emulator);
      times.push(performance.now() - startedAt);
      await sleep(100);
    }
    const waits = await probing.end();
    return {
      name: `ms for /healthz, p99, with ${clients} stalled streams`,
      measured: { p99: quantile(waits, 0.99), longest: quantile(waits, 1), event: median(times) },
      ratio: { value: quantile(waits, 0.99) },
    };
  } finally {
    for (const socket of sockets) socket.destroy();
    await emulator.stop();
  }
}

async function openStalled({ url }: RunningProgram): Promise<Socket> {
  const { host, hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname).on('error', () => {});
  socket.write(`GET /_svc/stream HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
  await new Promise((resolve) => socket.once('data', resolve));
  socket.pause();
  return socket;
}

function measureTable(bench: BenchmarkContext): Finding {
  const rows = Array.from({ length: 20_000 }, (_, number) => number);
  const columns: Column<number>[] = [
    { title: 'ID', value: (row: number) => `del_${String(row).padStart(26, '0')}` },
    { title: 'STATUS', value: () => '✓ succeeded' },
    { title: 'TYPE', value: () => 'order.shipped', hideOrder: 1 },
    { title: 'URL', value: (row: number) => `http://127.0.0.1:3000/webhooks/${row}`, canTruncate: true },
  ];
  const look = { width: 80, color: true, unicode: true, links: false };
  const times = Array.from({ length: bench.rounds }, () => {
    const startedAt = performance.now();
    renderTable(columns, rows, look);
    return performance.now() - startedAt;
  });
  return {
    name: `ms to print a table of ${rows.length} rows`,
    measured: { svc: median(times) },
    ratio: { value: median(times) },
  };
}

async function createEvent({ url, apiKey }: RunningProgram): Promise<void> {
  const response = await fetch(`${url}/v1/events`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: '{"type":"bench.type0","payload":{}}',
  });
  if (response.status !== 201) throw new Error(await response.text());
  await response.arrayBuffer();
}

/** Requests `/healthz` repeatedly until `end()`, which resolves to the milliseconds of each response. */
function probe({ url }: RunningProgram): { end(): Promise<number[]> } {
  const waits: number[] = [];
  let isOver = false;
  const run = async () => {
    while (!isOver) {
      const startedAt = performance.now();
      await (await fetch(`${url}/healthz`)).arrayBuffer();
      waits.push(performance.now() - startedAt);
      await sleep(PROBE_PAUSE_MS);
    }
  };
  const running = run();
  return {
    end: async () => {
      isOver = true;
      await running;
      return waits;
    },
  };
}
