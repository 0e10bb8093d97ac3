/** Measures the views of the dashboard with many deliveries, many new ones per second, and a large body. */
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { chromiumPath, launchChromium } from '../../test/support/chromium.ts';
import type { Benchmark, BenchmarkContext } from '../benchmark.ts';
import { MANY_ENDPOINTS, toTarget } from '../event-load.ts';
import { fillDatabase } from '../fill-database.ts';
import { sendAtRate } from '../load.ts';
import { programs, type RunningProgram, startProgram } from '../programs.ts';
import { startReceiver } from '../receiver.ts';
import type { Finding } from '../report.ts';
import { median, quantile } from '../statistics.ts';
import {
  type KeyCost,
  LIST_ROW,
  openBlankList,
  openView,
  type PageMemory,
  pressKeys,
  scroll,
  watchTop,
} from '../viewer.ts';

const HOUR_MS = 3_600_000;
const PER_SECOND = 100;
/** Each turn watches the newest rows, scrolls the list, then scrolls an empty page. */
const STEP_MS = 4_000;
const TURN_MS = 3 * STEP_MS;
/** A longer frame is visible as a stutter. */
const LATE_MS = 50;
/** Turns before memory is measured: one minute. */
const WARM_UP_TURNS = 5;

const viewNames = ['deliveries', 'home', 'requests'] as const;
type ViewName = (typeof viewNames)[number];

export const dashboard: Benchmark = async (bench) => {
  if (chromiumPath === undefined) {
    bench.note('skipped, because Chromium is not on the PATH');
    return [];
  }
  const receiver = await startReceiver();
  const emulator = await startFilled(bench, receiver.url);
  const browser = await launchChromium();
  try {
    return [
      ...(await measureLoad(bench, browser, emulator)),
      ...(await measureKeys(bench, browser, emulator)),
    ];
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
  /** Share of the time in which the main thread is busy, while the user only watches. */
  readonly shares: Readonly<Record<ViewName, number>>;
  readonly memory: Readonly<Record<ViewName, PageMemory>>;
}

async function measureLoad(
  bench: BenchmarkContext,
  browser: Browser,
  emulator: RunningProgram,
): Promise<Finding[]> {
  const seconds = bench.seconds ?? (bench.quick ? 20 : 300);
  const offset = await resumeClock(emulator.url);
  const viewers = await mapViews((name) => openView(browser, `${emulator.url}/#/${name}`));
  const blank = await openBlankList(browser);
  const load = sendAtRate(toTarget(emulator, MANY_ENDPOINTS), PER_SECOND, seconds);
  await viewers.deliveries.page.locator(LIST_ROW).nth(5).waitFor();
  await viewers.requests.page.locator(LIST_ROW).nth(5).waitFor();
  const turns: Turn[] = [];
  const end = performance.now() + seconds * 1000;
  while (performance.now() + TURN_MS < end) {
    const before = await mapViews((name) => viewers[name].processorMs());
    const startedAt = performance.now();
    const lagsMs = await watchTop(viewers.deliveries, STEP_MS, offset);
    const elapsedMs = performance.now() - startedAt;
    const shares = await mapViews(
      async (name) => ((await viewers[name].processorMs()) - before[name]) / elapsedMs,
    );
    turns.push({
      lagsMs,
      shares,
      framesMs: await scroll(viewers.deliveries.page, STEP_MS),
      blankMs: await scroll(blank, STEP_MS),
      memory: await mapViews((name) => viewers[name].measureMemory()),
    });
    bench.note(describeTurn(turns.at(-1)));
  }
  await load;
  await Promise.all(viewNames.map((name) => viewers[name].page.context().close()));
  return toLoadFindings(turns);
}

/** Measures one view after another. */
async function mapViews<Value>(
  measure: (name: ViewName) => Promise<Value>,
): Promise<Record<ViewName, Value>> {
  const values: Partial<Record<ViewName, Value>> = {};
  for (const name of viewNames) values[name] = await measure(name);
  return values as Record<ViewName, Value>;
}

function describeTurn(turn: Turn | undefined): string {
  if (turn === undefined) return '';
  const views = viewNames.map((name) => {
    const { heapBytes, nodes, listeners } = turn.memory[name];
    const share = (100 * turn.shares[name]).toFixed(1);
    return `${name} ${share} %, ${(heapBytes / 1e6).toFixed(1)} MB, ${nodes} nodes, ${listeners} listeners`;
  });
  return `${views.join('; ')}; ${Math.round(median(turn.lagsMs))} ms behind`;
}

/** Resumes the schedule clock. @returns the milliseconds that it is behind the wall clock. */
async function resumeClock(url: string): Promise<number> {
  const response = await fetch(`${url}/_svc/clock`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: '{"frozen":false}',
  });
  const { now, wall } = (await response.json()) as { readonly now: string; readonly wall: string };
  return Date.parse(wall) - Date.parse(now);
}

function toLoadFindings(turns: readonly Turn[]): Finding[] {
  const lags = turns.flatMap(({ lagsMs }) => lagsMs);
  return [
    ...viewNames.map((name): Finding => {
      const shares = turns.map((turn) => turn.shares[name]);
      return {
        name: `share of the main thread, ${name}`,
        measured: { highest: Math.max(...shares) },
        ratio: { value: median(shares) },
      };
    }),
    ...viewNames.map((name) =>
      toMemoryFinding(
        name,
        turns.map(({ memory }) => memory[name]),
      ),
    ),
    { name: 'ms that the newest row is behind', measured: { p50: median(lags), p99: quantile(lags, 0.99) } },
    toSmoothness(
      'ms between frames, scrolling the list',
      turns.flatMap(({ framesMs }) => framesMs),
    ),
    toSmoothness(
      'ms between frames, scrolling nothing',
      turns.flatMap(({ blankMs }) => blankMs),
    ),
  ];
}

function toMemoryFinding(name: ViewName, samples: readonly PageMemory[]): Finding {
  const warm = samples.slice(Math.min(WARM_UP_TURNS, Math.floor(samples.length / 3)));
  const third = Math.ceil(warm.length / 3);
  const toMedians = (some: readonly PageMemory[]) => ({
    megabytes: median(some.map(({ heapBytes }) => heapBytes)) / 1e6,
    nodes: median(some.map(({ nodes }) => nodes)),
    listeners: median(some.map(({ listeners }) => listeners)),
  });
  const [start, end] = [toMedians(warm.slice(0, third)), toMedians(warm.slice(-third))];
  return {
    name: `memory after collection, ${name}`,
    measured: {
      'MB at first': start.megabytes,
      'at the end': end.megabytes,
      'nodes at first': start.nodes,
      'nodes at the end': end.nodes,
      'listeners at first': start.listeners,
      'listeners at the end': end.listeners,
    },
    ratio: { value: end.megabytes / start.megabytes },
  };
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

/** 200 KB of JSON. */
const largePayload = {
  items: Array.from({ length: 2_600 }, (_, number) => ({
    id: `item_${number}`,
    number,
    ok: true,
    note: 'some text',
    tags: null,
  })),
};

/** Presses keys in the views that show or edit a large body. */
async function measureKeys(
  { quick }: BenchmarkContext,
  browser: Browser,
  { url, apiKey }: RunningProgram,
): Promise<Finding[]> {
  const response = await fetch(`${url}/v1/events`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ type: 'bench.large', payload: largePayload }),
  });
  const { id } = (await response.json()) as { readonly id: string };
  const count = quick ? 5 : 40;
  const press = async (name: string, hash: string, keys: readonly string[]) => {
    const viewer = await openView(browser, `${url}/#/${hash}`);
    await viewer.page.locator('.cm-content').first().focus();
    const costs = await pressKeys(viewer, repeat(keys, count));
    await viewer.page.context().close();
    return toKeyFinding(name, costs);
  };
  return [
    await press('keys in the editor of a large payload', `trigger?event=${id}`, ['End', 'x']),
    await press('keys that scroll a large payload', `events/${id}`, ['PageDown', 'ArrowDown', 'End', 'Home']),
  ];
}

function repeat(keys: readonly string[], count: number): string[] {
  return Array.from({ length: count }, (_, index) => keys[index % keys.length] ?? '');
}

function toKeyFinding(name: string, costs: readonly KeyCost[]): Finding {
  const frames = costs.map(({ frameMs }) => frameMs);
  const processor = costs.map(({ processorMs }) => processorMs);
  return {
    name: `ms, ${name}`,
    measured: {
      p95: quantile(frames, 0.95),
      max: Math.max(...frames),
      'processor p50': median(processor),
      'processor max': Math.max(...processor),
    },
    ratio: { value: median(frames) },
  };
}
