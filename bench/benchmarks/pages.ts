/** Measures pages of events in growing tables, and the disk and memory usage of a million events. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Benchmark, BenchmarkContext } from '../benchmark.ts';
import { fillDatabase } from '../fill-database.ts';
import { programs, type RunningProgram, startProgram } from '../programs.ts';
import type { Finding } from '../report.ts';
import { alternate, median } from '../statistics.ts';

/** Requests of each kind per round. */
const REQUESTS = 200;
const HOUR_MS = 3_600_000;

/** An emulator with many events, each with a pending delivery. */
interface Filled {
  readonly size: number;
  readonly emulator: RunningProgram;
  /** Cursor of a page in the middle. */
  readonly cursor: string;
  readonly bytesEach: number;
}

export const pages: Benchmark = async (bench) => {
  const [small, ...larger] = bench.quick
    ? ([1_000, 10_000] as const)
    : ([1_000, 100_000, 1_000_000] as const);
  const running = [await startFilled(bench, small)];
  try {
    for (const size of larger) running.push(await startFilled(bench, size));
    const contestants = running.map((filled) => [filled.size, () => measurePages(filled)] as const);
    const results = await alternate(bench.rounds * 2, Object.fromEntries(contestants));
    const toTimes = (which: keyof PageTimes) =>
      running.map(({ size }) => [size, median((results[size] ?? []).map((times) => times[which]))] as const);
    return [
      toGrowth('ms for a page of 50, the newest events', toTimes('newest')),
      toGrowth('ms for a page of 50, from the middle', toTimes('middle')),
      ...(await toFacts(running)),
    ];
  } finally {
    for (const { emulator } of running) await emulator.stop();
  }
};

async function startFilled(bench: BenchmarkContext, size: number): Promise<Filled> {
  const db = join(bench.folder, `pages-${size}.db`);
  const at = Date.now() - HOUR_MS;
  const cursor = fillDatabase({
    db,
    events: size,
    at,
    deliveries: { url: 'http://127.0.0.1:9/', dueAt: at + HOUR_MS },
  });
  const bytesEach = statSync(db).size / size;
  bench.note(`${size} events with a pending delivery: ${Math.round(bytesEach)} bytes each`);
  const emulator = await startProgram(programs.emulator, [db, 'FULL', 'frozen'], bench);
  return { size, emulator, cursor, bytesEach };
}

interface PageTimes {
  readonly newest: number;
  readonly middle: number;
}

async function measurePages({ emulator, cursor }: Filled): Promise<PageTimes> {
  const newest: number[] = [];
  const middle: number[] = [];
  for (let each = 0; each < REQUESTS; each++) {
    newest.push(await timeOf(emulator, '/v1/events?limit=50'));
    middle.push(await timeOf(emulator, `/v1/events?limit=50&starting_after=${cursor}`));
  }
  return { newest: median(newest), middle: median(middle) };
}

async function timeOf({ url, apiKey }: RunningProgram, path: string): Promise<number> {
  const startedAt = performance.now();
  const answer = await fetch(url + path, { headers: { authorization: `Bearer ${apiKey}` } });
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
  return performance.now() - startedAt;
}

function toGrowth(name: string, times: ReadonlyArray<readonly [size: number, ms: number]>): Finding {
  const [smallest = Number.NaN, largest = Number.NaN] = [times[0]?.[1], times.at(-1)?.[1]];
  return {
    name,
    measured: Object.fromEntries(times.map(([size, ms]) => [`at ${size}`, ms])),
    ratio: { value: largest / smallest },
  };
}

async function toFacts(running: readonly Filled[]): Promise<Finding[]> {
  const status: Record<string, number> = {};
  for (const { size, emulator } of running) status[`at ${size}`] = await timeOf(emulator, '/_svc/status');
  const each = (measure: (filled: Filled) => number) =>
    Object.fromEntries(running.map((filled) => [`at ${filled.size}`, measure(filled)]));
  return [
    {
      name: 'file bytes for an event and its pending delivery',
      measured: each(({ bytesEach }) => bytesEach),
    },
    {
      name: 'MB of memory with that many pending',
      measured: each(({ emulator }) => emulator.memory() / 1e6),
    },
    { name: 'ms to the first response', measured: each(({ emulator }) => emulator.bootMs) },
    { name: 'ms for the status', measured: status },
  ];
}
