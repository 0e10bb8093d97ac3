/** Shows the list of deliveries in Chromium and measures it. Functions for the page are passed as text. */
import type { Browser, Page } from 'playwright-core';

export interface Viewer {
  /** Measures how far the newest row is behind the clock, several times a second for `ms`, at the top of the list. */
  watchTop(ms: number): Promise<number[]>;
  /** Scrolls down for `ms`, then back to the top. @returns the milliseconds between frames. */
  scroll(ms: number): Promise<number[]>;
  /** Like {@link scroll}, in an empty page. */
  scrollBlank(ms: number): Promise<number[]>;
  /** Measures after garbage collection. */
  measureMemory(): Promise<{ readonly heapBytes: number; readonly nodes: number }>;
}

/** About 140 rows per second, like fast scrolling with a wheel. */
const PIXELS_A_FRAME = 120;
const SAMPLE_INTERVAL_MS = 200;

export async function openList(browser: Browser, url: string): Promise<Viewer> {
  const [page, blank] = [await openPage(browser), await openPage(browser)];
  await blank.setContent(
    '<div class="virtual" style="height:100vh;overflow:auto"><div style="height:1e7px">',
  );
  await page.goto(`${url}/`);
  await page.getByRole('grid', { name: 'Deliveries' }).getByRole('row').nth(5).waitFor();
  const debug = await page.context().newCDPSession(page);
  const offset = await findOffset(url);
  return {
    watchTop: (ms) => page.evaluate(`(${watchTop})(${ms}, ${SAMPLE_INTERVAL_MS}, ${offset})`),
    scroll: (ms) => page.evaluate(`(${scroll})(${ms}, ${PIXELS_A_FRAME})`),
    scrollBlank: (ms) => blank.evaluate(`(${scroll})(${ms}, ${PIXELS_A_FRAME})`),
    async measureMemory() {
      await debug.send('HeapProfiler.collectGarbage');
      const { usedSize } = await debug.send('Runtime.getHeapUsage');
      const { nodes } = await debug.send('Memory.getDOMCounters');
      return { heapBytes: usedSize, nodes };
    },
  };
}

/** Opens a separate window, because a background tab hardly runs. */
async function openPage(browser: Browser): Promise<Page> {
  return (await browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage();
}

/** Resumes the schedule clock. @returns the milliseconds that it is behind the wall clock. */
async function findOffset(url: string): Promise<number> {
  const response = await fetch(`${url}/_svc/clock`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: '{"frozen":false}',
  });
  const { now, wall } = (await response.json()) as { readonly now: string; readonly wall: string };
  return Date.parse(wall) - Date.parse(now);
}

const watchTop = `async (ms, every, offset) => {
  const lags = [];
  for (const end = performance.now() + ms; performance.now() < end; ) {
    await new Promise((resolve) => setTimeout(resolve, every));
    const newest = document.querySelector('.virtual-body time:last-child').dateTime;
    lags.push(Date.now() - offset - Date.parse(newest));
  }
  return lags;
}`;

const scroll = `async (ms, step) => {
  const list = document.querySelector('.virtual');
  const frames = [];
  let last = await new Promise(requestAnimationFrame);
  for (const end = last + ms; last < end; ) {
    list.scrollTop += step;
    const now = await new Promise(requestAnimationFrame);
    frames.push(now - last);
    last = now;
  }
  list.scrollTop = 0;
  return frames;
}`;
