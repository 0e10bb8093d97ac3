/** Opens the dashboard of a real emulator in Chromium. */
import { createServer } from 'node:http';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, onTestFinished } from 'vitest';
import { chromiumPath, launchChromium } from './chromium.ts';
import { listen } from './local-server.ts';

/**
 * How many times slower pages run their scripts. Set BROWSER_CPU_SLOWDOWN to find tests that only pass on a fast machine:
 * `BROWSER_CPU_SLOWDOWN=6 npx vitest run test/browser`.
 */
const CPU_SLOWDOWN = Number(process.env.BROWSER_CPU_SLOWDOWN ?? 1);

/** How many milliseconds each response to a page is delayed. It finds tests that expect a new response too early. */
const LATENCY_MS = Number(process.env.BROWSER_LATENCY_MS ?? 0);

/** Launched once per worker, because the test files of a worker share their modules. It ends with the worker. */
let browser: Promise<Browser> | undefined;

/** Describes tests that need a browser. Without one they are skipped, and fail in CI. */
export function describeInBrowser(title: string, define: () => void): void {
  const isMissing = chromiumPath === undefined && process.env.CI === undefined;
  if (isMissing)
    process.stderr.write(`\nSKIPPED: ${title}: no Chromium found. Install it (Debian: chromium).\n`);
  describe.skipIf(isMissing)(title, () => {
    beforeAll(() => {
      browser ??= launchChromium();
      return browser;
    });
    define();
  });
}

export interface OpenOptions {
  /** The fragment of the URL (default: `/deliveries`). */
  readonly hash?: string;
  readonly width?: number;
  readonly height?: number;
  readonly colorScheme?: 'light' | 'dark';
  /** Console errors and exceptions that the test causes on purpose. */
  readonly expectedErrors?: RegExp;
  /**
   * Replaces the timers of the page, so that the test can skip the wait until the next poll with `page.clock.fastForward`.
   */
  readonly hasFakeTimers?: boolean;
  /** Opens another tab of the browser that shows this page. */
  readonly besides?: Page;
}

/** Opens the dashboard. Unexpected console messages and exceptions fail the test. */
export async function openDashboard(
  emulator: { status(): { readonly dashboard_url: string } },
  {
    hash = '/deliveries',
    width = 1280,
    height = 800,
    colorScheme = 'light',
    expectedErrors,
    hasFakeTimers = false,
    besides,
  }: OpenOptions = {},
): Promise<Page> {
  const url = new URL(emulator.status().dashboard_url);
  url.hash = hash;
  const idlePages = hasFakeTimers ? idlePagesWithFakeTimers : idlePagesWithRealTimers;
  const page = (besides ? undefined : idlePages.pop()) ?? (await createPage(besides?.context()));
  // Also sets the clock of a page that another test has left.
  if (hasFakeTimers) await page.clock.install();
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(error.stack || error.message));
  page.on('console', (message) => {
    const { url: source } = message.location();
    // The page of another test may still report that its emulator has ended.
    if (source.startsWith('http') && new URL(source).host !== url.host) return;
    if (message.type() === 'error' || message.type() === 'warning')
      problems.push(`${message.text()} (${source})`);
  });
  onTestFinished(async ({ task }) => {
    // A test that fails can leave anything in a page, for example a mouse button that is down.
    const isReusable = task.result?.state !== 'fail';
    if (besides !== undefined) await page.close();
    else if (isReusable && (await tryToEmpty(page, hasFakeTimers))) idlePages.push(page);
    else await page.context().close();
    const unexpected = problems.filter((text) => expectedErrors?.test(text) !== true);
    if (unexpected.length > 0) throw new Error(`Unexpected messages of the page:\n${unexpected.join('\n')}`);
  });
  await page.setViewportSize({ width, height });
  await page.emulateMedia({ colorScheme, forcedColors: null });
  await page.goto(url.href);
  return page;
}

/**
 * Pages that tests have left. They load the dashboard in half the time of a new page. Each has a browser context, because
 * only one page of a context is visible, and the browser slows down the timers of hidden pages.
 */
const idlePagesWithRealTimers: Page[] = [];

/** Fake timers stay installed for as long as the context exists. */
const idlePagesWithFakeTimers: Page[] = [];

/** Served once per worker. */
let emptyPage: Promise<string> | undefined;

/**
 * Serves an empty page. It belongs to the same site as the dashboards, because a site is a host with any port. Chromium
 * therefore keeps the process of the page, which `about:blank` would replace.
 */
async function serveEmptyPage(): Promise<string> {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/html', connection: 'close' }).end('<!doctype html>');
  });
  const port = await listen(server);
  server.unref();
  return `http://127.0.0.1:${port}/`;
}

/** Removes what a test has left in a page. Returns false if the page does not respond. */
async function tryToEmpty(page: Page, hasFakeTimers: boolean): Promise<boolean> {
  emptyPage ??= serveEmptyPage();
  page.removeAllListeners('request');
  try {
    const url = await emptyPage;
    await page.unrouteAll();
    if (hasFakeTimers) await page.clock.resume();
    await page.evaluate('sessionStorage.clear(); localStorage.clear()').catch(() => undefined);
    await page.goto(url);
    await page.mouse.move(0, 0);
    await page.context().clearCookies();
    page.removeAllListeners('pageerror');
    page.removeAllListeners('console');
    return true;
  } catch {
    return false;
  }
}

/** @param existingContext of another page, for another tab of the same browser */
async function createPage(existingContext?: BrowserContext): Promise<Page> {
  if (browser === undefined) throw new Error('openDashboard() belongs in describeInBrowser().');
  const context =
    existingContext ??
    (await (await browser).newContext({ permissions: ['clipboard-read', 'clipboard-write'] }));
  const page = await context.newPage();
  delayKeysUntilEffectsRan(page);
  if (CPU_SLOWDOWN > 1) {
    const session = await context.newCDPSession(page);
    await session.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWDOWN });
  }
  if (LATENCY_MS > 0) {
    const session = await context.newCDPSession(page);
    await session.send('Network.enable');
    await session.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: LATENCY_MS,
      downloadThroughput: -1,
      uploadThroughput: -1,
    });
  }
  return page;
}

/**
 * Keys wait until the effects of the page have run, because these register its key handlers and move the focus.
 * Preact runs effects after the next frame, or, in a hidden page, which gets no frames, after a timeout of 35 ms.
 */
function delayKeysUntilEffectsRan(page: Page): void {
  const { keyboard } = page;
  const press = keyboard.press.bind(keyboard);
  const type = keyboard.type.bind(keyboard);
  const effectsRan = () =>
    page.evaluate(
      'new Promise((done) => document.hidden ? setTimeout(done, 100) : requestAnimationFrame(() => setTimeout(done)))',
    );
  keyboard.press = async (...pressed) => {
    await effectsRan();
    return press(...pressed);
  };
  keyboard.type = async (...typed) => {
    await effectsRan();
    return type(...typed);
  };
}

/** Lets a page with fake timers poll once. */
export function skipToNextPoll(page: Page): Promise<void> {
  return page.clock.fastForward(1_000);
}

/** Waits until `field` has the focus. Use it before `page.keyboard.type` when a key or a click moved the focus. */
export async function expectFocused(field: Locator): Promise<void> {
  await expect.poll(() => field.evaluate((element) => element.matches(':focus'))).toBe(true);
}

/** Makes a page believe that it is hidden or visible. */
export async function setHidden(page: Page, isHidden: boolean): Promise<void> {
  const state = JSON.stringify(isHidden ? 'hidden' : 'visible');
  await page.evaluate(`
    Object.defineProperty(document, 'visibilityState', { configurable: true, value: ${state} });
    Object.defineProperty(document, 'hidden', { configurable: true, value: ${isHidden} });
    document.dispatchEvent(new Event('visibilitychange'));
  `);
}
