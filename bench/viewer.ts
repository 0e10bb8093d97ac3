/** Shows views of the dashboard in Chromium and measures them. Functions for the page are passed as text. */
import type { Browser, Page } from 'playwright-core';

export interface Viewer {
  readonly page: Page;
  /** Processor time of the main thread of the page in milliseconds since it was opened. */
  processorMs(): Promise<number>;
  /** Measures after garbage collection. */
  measureMemory(): Promise<PageMemory>;
}

export interface PageMemory {
  readonly heapBytes: number;
  readonly nodes: number;
  readonly listeners: number;
}

/** Opens a separate window, because a background tab hardly runs. */
export async function openView(browser: Browser, url: string): Promise<Viewer> {
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage();
  const debug = await page.context().newCDPSession(page);
  // Processor time, because other programs of the machine affect the elapsed time.
  await debug.send('Performance.enable', { timeDomain: 'threadTicks' });
  await page.goto(url);
  return {
    page,
    async processorMs() {
      const { metrics } = await debug.send('Performance.getMetrics');
      return 1000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN);
    },
    async measureMemory() {
      await debug.send('HeapProfiler.collectGarbage');
      const { usedSize: heapBytes } = await debug.send('Runtime.getHeapUsage');
      const { nodes, jsEventListeners: listeners } = await debug.send('Memory.getDOMCounters');
      return { heapBytes, nodes, listeners };
    },
  };
}

/** The list of a view, which scrolls. */
const LIST = '.split > section > div';
export const LIST_ROW = `${LIST} li > a`;

const SAMPLE_INTERVAL_MS = 200;

/**
 * Measures how far the newest row of a list is behind the clock, several times a second for `ms`, at the top of the list.
 * @param offset milliseconds that the schedule clock is behind the wall clock
 */
export function watchTop({ page }: Viewer, ms: number, offset: number): Promise<number[]> {
  return page.evaluate(`(async () => {
    const lags = [];
    for (const end = performance.now() + ${ms}; performance.now() < end; ) {
      await new Promise((resolve) => setTimeout(resolve, ${SAMPLE_INTERVAL_MS}));
      const newest = document.querySelector('${LIST_ROW} > time').dateTime;
      lags.push(Date.now() - ${offset} - Date.parse(newest));
    }
    return lags;
  })()`);
}

/** About 140 rows per second, like fast scrolling with a wheel. */
const PIXELS_A_FRAME = 120;

/** Scrolls a list down for `ms`, then back to the top. @returns the milliseconds between frames. */
export function scroll(page: Page, ms: number): Promise<number[]> {
  return page.evaluate(`(async () => {
    const list = document.querySelector('${LIST}');
    const frames = [];
    let last = await new Promise(requestAnimationFrame);
    for (const end = last + ${ms}; last < end; ) {
      list.scrollTop += ${PIXELS_A_FRAME};
      const now = await new Promise(requestAnimationFrame);
      frames.push(now - last);
      last = now;
    }
    list.scrollTop = 0;
    return frames;
  })()`);
}

/** A page that is as high as a long list and shows nothing, for {@link scroll}. */
export async function openBlankList(browser: Browser): Promise<Page> {
  const { page } = await openView(browser, 'about:blank');
  await page.setContent(
    '<div class="split"><section><div style="height:100vh;overflow:auto"><div style="height:1e7px">',
  );
  return page;
}

export interface KeyCost {
  /** Milliseconds from a key to the end of the next frame. */
  readonly frameMs: number;
  /** Processor time of the main thread. */
  readonly processorMs: number;
}

/** Presses keys one after another in the focused element. */
export async function pressKeys({ page, processorMs }: Viewer, keys: readonly string[]): Promise<KeyCost[]> {
  const costs: KeyCost[] = [];
  for (const key of keys) {
    await page.evaluate(WAIT_FOR_KEY);
    const before = await processorMs();
    await page.keyboard.press(key);
    const frameMs = await page.evaluate<number>('frameAfterKey');
    costs.push({ frameMs, processorMs: (await processorMs()) - before });
  }
  return costs;
}

const WAIT_FOR_KEY = `void (globalThis.frameAfterKey = new Promise((resolve) => {
  const onKey = ({ timeStamp }) =>
    requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - timeStamp)));
  addEventListener('keydown', onKey, { capture: true, once: true });
}))`;
