/** The HTML page of an export, as a browser shows it from a file. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { hostileDelivery, renderPage } from '../control/export/exported-page.ts';
import { expectAccessibleAt } from '../support/accessibility.ts';
import { describeInBrowser, openDashboard } from '../support/browser.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { startTestEmulator } from '../support/test-emulator.ts';

async function openFile(html: string) {
  const emulator = await startTestEmulator();
  onTestFinished(emulator.close);
  const page = await openDashboard(emulator);
  const file = join(createTemporaryFolder(), 'deliveries.html');
  writeFileSync(file, html);
  await page.goto(pathToFileURL(file).href);
  return page;
}

describeInBrowser('the exported page', () => {
  it('the exported page is accessible in the light and the dark color scheme at 360 px, folded and unfolded', async () => {
    const page = await openFile(await renderPage({ ...hostileDelivery, id: 'del_1' }, hostileDelivery));
    await expectAccessibleAt(page, [360]);
    await page.getByText('2 deliveries').waitFor();
    for (const summary of await page.locator('summary:visible').all()) await summary.press('Enter');
    for (const summary of await page.locator('details details summary').all()) await summary.press('Enter');
    await expectAccessibleAt(page, [360]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
  });

  it('hostile text in the exported page runs no script, loads nothing and is visible', async () => {
    const page = await openFile(await renderPage(hostileDelivery));
    expect(await page.title()).toBe('Webhook delivery');
    expect(await page.evaluate('document.querySelectorAll("script, img, [onclick], [onerror]").length')).toBe(
      0,
    );
    expect(await page.evaluate('document.styleSheets.length')).toBe(1);
    const text = (await page.getByRole('main').innerText()) ?? '';
    expect(text).toContain('</script><script>document.title="hacked"</script>');
    expect(text).toContain('\\u202edesrever');
    expect(await page.locator('body').evaluate((body) => getComputedStyle(body).maxWidth)).not.toBe('none');
  });
});
