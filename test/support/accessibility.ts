import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Checks the current page against WCAG 2.2, levels A and AA, including contrast. */
export async function expectAccessible(page: Page): Promise<void> {
  // Injected through the debugger, because the content security policy of the page blocks other scripts.
  if (await page.evaluate(`typeof axe === 'undefined'`)) await page.evaluate(source);
  const violations = (await page.evaluate(
    `axe.run({
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
      resultTypes: ['violations'],
    }).then(({ violations }) => violations)`,
  )) as AxeResults['violations'];
  const descriptions = violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${help}\n${html}\n${failureSummary}`),
  );
  expect(descriptions).toEqual([]);
}
