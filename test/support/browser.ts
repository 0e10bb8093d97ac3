/** Opens the dashboard of a real emulator in Chromium. */
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished } from 'vitest';
import { chromiumPath, launchChromium } from './chromium.ts';

/**
 * How many times slower pages run their scripts. Set BROWSER_CPU_SLOWDOWN to find tests that only pass on a fast machine:
 * `BROWSER_CPU_SLOWDOWN=6 npx vitest run --project browser`.
 */
const CPU_SLOWDOWN = Number(process.env.BROWSER_CPU_SLOWDOWN ?? 1);

let browser: Browser | undefined;

/** Describes tests that need a browser. Without one they are skipped, and fail in CI. */
export function describeInBrowser(title: string, define: () => void): void {
  const isMissing = chromiumPath === undefined && process.env.CI === undefined;
  if (isMissing)
    process.stderr.write(`\nSKIPPED: ${title}: no Chromium found. Install it (Debian: chromium).\n`);
  describe.skipIf(isMissing)(title, () => {
    beforeAll(async () => {
      browser = await launchChromium();
    });
    afterAll(() => browser?.close());
    define();
  });
}

export interface OpenOptions {
  /** The fragment of the URL, such as `/deliveries`. */
  readonly hash?: string;
  readonly width?: number;
  readonly height?: number;
  readonly colorScheme?: 'light' | 'dark';
  /** Console errors and exceptions that the test causes on purpose. */
  readonly expectedErrors?: RegExp;
}

/** Opens the dashboard in a new browser context. Unexpected console messages and exceptions fail the test. */
export async function openDashboard(
  emulator: { status(): { readonly dashboard_url: string } },
  { hash = '/', width = 1280, height = 800, colorScheme = 'light', expectedErrors }: OpenOptions = {},
): Promise<Page> {
  if (browser === undefined) throw new Error('openDashboard() belongs in describeInBrowser().');
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme,
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  delayKeysUntilEffectsRan(page);
  if (CPU_SLOWDOWN > 1) {
    const session = await context.newCDPSession(page);
    await session.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWDOWN });
  }
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(error.stack ?? error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') problems.push(message.text());
  });
  onTestFinished(async () => {
    await context.close();
    const unexpected = problems.filter((text) => expectedErrors?.test(text) !== true);
    if (unexpected.length > 0) throw new Error(`Unexpected messages of the page:\n${unexpected.join('\n')}`);
  });
  const url = new URL(emulator.status().dashboard_url);
  url.hash = hash;
  await page.goto(url.href);
  return page;
}

/**
 * Keys wait until the effects of the page have run, because these register its key handlers and move the focus.
 * Effects run after the next frame; a hidden page gets no frames.
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

/** Waits until `field` has the focus. Use it before `page.keyboard.type` when a key or a click moved the focus. */
export async function expectFocused(field: Locator): Promise<void> {
  await expect.poll(() => field.evaluate((element) => element.matches(':focus'))).toBe(true);
}
