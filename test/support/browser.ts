/** A real Chromium that looks at the dashboard of a real emulator. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, onTestFinished } from 'vitest';
import { chromiumPath, launchChromium } from './chromium.ts';

let browser: Browser | undefined;

/** Tests in a browser. Where there is none they are skipped, and in CI they fail. */
export function describeInBrowser(title: string, define: () => void): void {
  const isAbsent = chromiumPath === undefined && process.env.CI === undefined;
  if (isAbsent)
    process.stderr.write(`\nSKIPPED: ${title}: no Chromium was found. Install it (Debian: chromium).\n`);
  describe.skipIf(isAbsent)(title, () => {
    beforeAll(async () => {
      browser = await launchChromium();
    });
    afterAll(() => browser?.close());
    define();
  });
}

export interface Look {
  /** The part of the address after `#`, such as `/deliveries`. */
  readonly at?: string;
  readonly width?: number;
  readonly height?: number;
  readonly colorScheme?: 'light' | 'dark';
  /** Complaints of the page that the test provokes. */
  readonly expectedErrors?: RegExp;
}

/** Opens the dashboard in a window of its own. Whatever the page complains about fails the test. */
export async function openDashboard(
  emulator: { status(): { readonly dashboard_url: string } },
  { at = '/', width = 1280, height = 800, colorScheme = 'light', expectedErrors }: Look = {},
): Promise<Page> {
  if (browser === undefined) throw new Error('openDashboard() belongs in describeInBrowser().');
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme,
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  letEffectsRun(page);
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.stack ?? error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  onTestFinished(async () => {
    await context.close();
    const unexpected = complaints.filter((text) => expectedErrors?.test(text) !== true);
    if (unexpected.length > 0) throw new Error(`The page complains:\n${unexpected.join('\n')}`);
  });
  const url = new URL(emulator.status().dashboard_url);
  url.hash = at;
  await page.goto(url.href);
  return page;
}

/** What a page shows handles keys once its effects have run, which is after the next frame; no frame comes to a hidden page. */
function letEffectsRun(page: Page): void {
  const press = page.keyboard.press.bind(page.keyboard);
  page.keyboard.press = async (...pressed) => {
    await page.evaluate(
      'new Promise((done) => { requestAnimationFrame(() => setTimeout(done)); setTimeout(done, 100); })',
    );
    return press(...pressed);
  };
}
