/** What a page of events costs as the table grows, and what a million events cost on disk and in memory. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { type Contestant, programs, startContestant } from '../contestant.ts';
import { fill } from '../fill.ts';
import { alternate, median } from '../statistics.ts';
import type { Benchmark } from '../workbench.ts';

const REQUESTS = 200;
const HOUR_MS = 3_600_000;

export const pages: Benchmark = async (bench) => {
  const sizes = bench.quick ? [1_000, 10_000] : [1_000, 100_000, 1_000_000];
  const running = new Map<number, { emulator: Contestant; cursor: string; bytes: number }>();
  try {
    for (const size of sizes) {
      const db = join(bench.folder, `pages-${size}.db`);
      const at = Date.now() - HOUR_MS;
      const deliveries = { url: 'http://127.0.0.1:9/', dueAt: at + HOUR_MS };
      const cursor = fill({ db, events: size, at, deliveries });
      const bytes = statSync(db).size;
      bench.note(`${size} events and pending deliveries: ${Math.round(bytes / size)} bytes each`);
      const emulator = await startContestant(programs.emulator, [db, 'FULL', 'frozen'], bench);
      running.set(size, { emulator, cursor, bytes });
    }
    const contestants = Object.fromEntries(
      sizes.map((size) => [
        size,
        () => measurePages(getFrom(running, size).emulator, getFrom(running, size).cursor),
      ]),
    );
    const results = await alternate(bench.rounds * 2, contestants);
    const [smallest = 0, largest = 0] = [sizes[0], sizes.at(-1)];
    const of = (size: number, which: 'first' | 'deep') =>
      median((results[size] ?? []).map((result) => result[which]));
    const compare = (which: 'first' | 'deep') => ({
      name: `ms for a page of 50, the ${which === 'first' ? 'newest' : 'middle'} events`,
      measured: Object.fromEntries(sizes.map((size) => [`at ${size}`, of(size, which)])),
      ratio: { value: of(largest, which) / of(smallest, which), reach: 1.2, better: 'lower' } as const,
    });
    const { emulator, bytes } = getFrom(running, largest);
    const idle = getFrom(running, smallest).emulator;
    return [
      compare('first'),
      compare('deep'),
      { name: 'file bytes for an event and its pending delivery', measured: { bytes: bytes / largest } },
      {
        name: `MB of memory with ${largest} pending`,
        measured: { largest: emulator.memory() / 1e6, smallest: idle.memory() / 1e6 },
      },
      {
        name: 'ms to boot and to tell the clock',
        measured: {
          [`boot at ${smallest}`]: idle.bootMs,
          [`boot at ${largest}`]: emulator.bootMs,
          [`status at ${smallest}`]: await timeOf(() => ask(`${idle.url}/_svc/status`, '')),
          [`status at ${largest}`]: await timeOf(() => ask(`${emulator.url}/_svc/status`, '')),
        },
      },
    ];
  } finally {
    for (const { emulator } of running.values()) await emulator.stop();
  }
};

async function measurePages({ url, apiKey }: Contestant, cursor: string) {
  const times = { first: [] as number[], deep: [] as number[] };
  for (let each = 0; each < REQUESTS; each++) {
    times.first.push(await timeOf(() => ask(`${url}/v1/events?limit=50`, apiKey)));
    times.deep.push(await timeOf(() => ask(`${url}/v1/events?limit=50&starting_after=${cursor}`, apiKey)));
  }
  return { first: median(times.first), deep: median(times.deep) };
}

async function ask(url: string, apiKey: string): Promise<void> {
  const answer = await fetch(url, { headers: { authorization: `Bearer ${apiKey}` } });
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
}

async function timeOf(action: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await action();
  return performance.now() - startedAt;
}

function getFrom<Value>(map: ReadonlyMap<number, Value>, size: number): Value {
  const value = map.get(size);
  if (value === undefined) throw new Error(`nothing runs with ${size} events`);
  return value;
}
