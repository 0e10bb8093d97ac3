import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** The rules that compare colors. The results of all others are the same in both color schemes, and with forced colors. */
export const COLOR_RULES = ['color-contrast', 'link-in-text-block'];

/** Checks the current page against WCAG 2.2, levels A and AA, including contrast. */
export async function expectAccessible(page: Page, rules = TAGS): Promise<void> {
  expect(await findViolations(page, rules)).toEqual([]);
}

/**
 * Checks the current page at every width, in the light and the dark color scheme: against WCAG 2.2, levels A and AA,
 * including contrast, and that the page does not scroll horizontally.
 */
export async function expectAccessibleAt(page: Page, widths: readonly number[], height = 800): Promise<void> {
  for (const width of widths) {
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme: 'light' });
    expect(await findViolations(page, TAGS), `light, ${width} px`).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await findViolations(page, COLOR_RULES), `dark, ${width} px`).toEqual([]);
    await expect
      .poll(() => page.evaluate('document.documentElement.scrollWidth <= innerWidth'), {
        message: `${width} px`,
      })
      .toBe(true);
  }
}

/** @param rules tags of rules, or IDs of rules */
async function findViolations(page: Page, rules: readonly string[]): Promise<string[]> {
  // Injected through the debugger, because the content security policy of the page blocks other scripts.
  if (await page.evaluate(`typeof axe === 'undefined'`)) await page.evaluate(source);
  const violations = (await page.evaluate(
    `axe.run({
      runOnly: ${JSON.stringify(rules)},
      resultTypes: ['violations'],
      selectors: false,
    }).then(({ violations }) => violations)`,
  )) as AxeResults['violations'];
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${page.url()}\n${id}: ${help}\n${html}\n${failureSummary}`),
  );
}
