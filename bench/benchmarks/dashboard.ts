/** Measures delay, scrolling and memory of the dashboard list with many deliveries and many new ones per second. */
import { join } from 'node:path';
import { chromiumPath, launchChromium } from '../../test/support/chromium.ts';
import type { Benchmark, BenchmarkContext } from '../benchmark.ts';
import { toTarget } from '../event-load.ts';
import { fillDatabase } from '../fill-database.ts';
import { sendAtRate } from '../load.ts';
import { programs, type RunningProgram, startProgram } from '../programs.ts';
import { startReceiver } from '../receiver.ts';
import type { Finding } from '../report.ts';
import { median, quantile } from '../statistics.ts';
import { openList, type Viewer } from '../viewer.ts';

const HOUR_MS = 3_600_000;
const PER_SECOND = 200;
/** Each turn watches the newest rows, scrolls the list, then scrolls an empty page. */
const STEP_MS = 4_000;
const TURN_MS = 3 * STEP_MS;
/** A longer frame is visible as a stutter. */
const LATE_MS = 50;
/** Turns before memory is measured: one minute. */
const WARM_UP_TURNS = 5;

export const dashboard: Benchmark = async (bench) => {
  if (chromiumPath === undefined) {
    bench.note('skipped, because Chromium is not on the PATH');
    return [];
  }
  const seconds = bench.seconds ?? (bench.quick ? 20 : 300);
  const receiver = await startReceiver();
  const emulator = await startFilled(bench, receiver.url);
  const browser = await launchChromium();
  try {
    const viewer = await openList(browser, emulator.url);
    const load = sendAtRate(toTarget(emulator), PER_SECOND, seconds);
    const turns = await watch(bench, viewer, seconds);
    await load;
    return toFindings(turns);
  } finally {
    await browser.close();
    await emulator.stop();
    receiver.close();
  }
};

/** Starts an emulator with many deliveries that are due in a day, to the receiver of the new ones. */
async function startFilled(bench: BenchmarkContext, url: string): Promise<RunningProgram> {
  const db = join(bench.folder, 'dashboard.db');
  const at = Date.now() - HOUR_MS;
  const events = bench.quick ? 1_000 : 100_000;
  fillDatabase({ db, events, at, deliveries: { url, dueAt: at + 24 * HOUR_MS } });
  return startProgram(programs.emulator, [db, 'FULL', 'running'], bench);
}

/** Measurements of one turn. */
interface Turn {
  readonly lagsMs: readonly number[];
  readonly framesMs: readonly number[];
  readonly blankMs: readonly number[];
  readonly heapBytes: number;
  readonly nodes: number;
}

async function watch({ note }: BenchmarkContext, viewer: Viewer, seconds: number): Promise<Turn[]> {
  const turns: Turn[] = [];
  const end = performance.now() + seconds * 1000;
  while (performance.now() + TURN_MS < end) {
    const turn: Turn = {
      lagsMs: await viewer.watchTop(STEP_MS),
      framesMs: await viewer.scroll(STEP_MS),
      blankMs: await viewer.scrollBlank(STEP_MS),
      ...(await viewer.measureMemory()),
    };
    turns.push(turn);
    note(
      `${(turn.heapBytes / 1e6).toFixed(1)} MB, ${turn.nodes} nodes, ${Math.round(median(turn.lagsMs))} ms behind`,
    );
  }
  return turns;
}

function toFindings(turns: readonly Turn[]): Finding[] {
  const lags = turns.flatMap(({ lagsMs }) => lagsMs);
  const warm = turns.slice(Math.min(WARM_UP_TURNS, Math.floor(turns.length / 3)));
  const third = Math.ceil(warm.length / 3);
  const memoryOf = (some: readonly Turn[]) => median(some.map(({ heapBytes }) => heapBytes)) / 1e6;
  const [start, last] = [memoryOf(warm.slice(0, third)), memoryOf(warm.slice(-third))];
  return [
    { name: 'ms that the newest row is behind', measured: { p50: median(lags), p99: quantile(lags, 0.99) } },
    toSmoothness(
      'ms between frames, scrolling the list',
      turns.flatMap(({ framesMs }) => framesMs),
    ),
    toSmoothness(
      'ms between frames, scrolling nothing',
      turns.flatMap(({ blankMs }) => blankMs),
    ),
    {
      name: 'MB of the page after garbage collection',
      measured: { 'after a minute': start, 'at the end': last },
      ratio: { value: last / start, reach: 1.1, better: 'lower' },
    },
    {
      name: 'nodes of the page',
      measured: {
        'after a minute': warm[0]?.nodes ?? Number.NaN,
        'at the end': warm.at(-1)?.nodes ?? Number.NaN,
      },
    },
  ];
}

function toSmoothness(name: string, frames: readonly number[]): Finding {
  return {
    name,
    measured: {
      p50: median(frames),
      p95: quantile(frames, 0.95),
      p99: quantile(frames, 0.99),
      [`later than ${LATE_MS}, %`]: (100 * frames.filter((ms) => ms > LATE_MS).length) / frames.length,
    },
  };
}
