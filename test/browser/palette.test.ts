/** The command palette. */
import type { Page } from 'playwright-core';
import { expect, it, onTestFinished } from 'vitest';
import { expectAccessibleAt } from '../support/accessibility.ts';
import { describeInBrowser, openDashboard } from '../support/browser.ts';
import { startTestEmulator } from '../support/test-emulator.ts';

async function start() {
  const emulator = await startTestEmulator();
  onTestFinished(emulator.close);
  const page = await openDashboard(emulator, { hash: '/events' });
  await page.getByRole('searchbox').waitFor();
  const field = page.getByRole('combobox', { name: 'Command or ID' });
  return { emulator, page, field };
}

/** A closed dialog removes its history entry asynchronously, which must not happen during the next test. */
async function expectDialogEntryRemoved(page: Page): Promise<void> {
  await expect.poll(() => page.evaluate('history.state.isDialog')).toBe(false);
}

describeInBrowser('the command palette', () => {
  it('the command palette goes to a page that the user selects with the arrow keys, and Back returns', async () => {
    const { page, field } = await start();
    await page.keyboard.press('Control+k');
    await expect.poll(() => page.evaluate('document.activeElement.className')).toBe('palette-input');
    await page.keyboard.type('go to');
    const options = page.getByRole('dialog').getByRole('option');
    await expect.poll(() => options.count()).toBe(4);
    await page.keyboard.press('ArrowUp');
    await expect.poll(() => options.last().getAttribute('aria-selected')).toBe('true');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Requests' }).waitFor();
    await field.waitFor({ state: 'detached' });
    await page.goBack();
    await expect.poll(() => page.url()).toContain('#/events');
  });

  it('the command palette opens from a text field and finds the resource of a pasted ID', async () => {
    const { emulator, page, field } = await start();
    const { json: event } = await emulator.api('POST', '/events', { type: 'order.shipped' });
    await page.getByRole('searchbox').focus();
    await page.keyboard.press('Control+k');
    await field.fill(event.id);
    await page
      .getByRole('dialog')
      .getByRole('option', { name: `Open ${event.id}` })
      .waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'order.shipped' }).waitFor();
  });

  it('the command palette runs the actions that the keyboard help lists', async () => {
    const { page, field } = await start();
    await page.keyboard.press('?');
    const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await help.getByText('Open the command palette').waitFor();
    const listed = await help.getByRole('definition').allTextContents();
    await page.keyboard.press('Escape');
    await help.waitFor({ state: 'detached' });
    await page.keyboard.press('Control+k');
    await field.waitFor();
    for (const description of listed.filter((text) => text !== 'Open the command palette')) {
      await page.getByRole('dialog').getByRole('option', { name: description }).first().waitFor();
    }
    await field.fill('keyboard');
    await page.getByRole('dialog').getByRole('option', { name: 'Show keyboard shortcuts' }).click();
    await help.waitFor();
    await page.keyboard.press('Escape');
    await help.waitFor({ state: 'detached' });
    await expectDialogEntryRemoved(page);
    expect(page.url()).toContain('#/events');
  });

  it('the command palette says that no command matches, and Escape closes it', async () => {
    const { page, field } = await start();
    await page.keyboard.press('Control+k');
    await field.fill('nothing like this');
    await page.getByText('No command matches.').waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
    await field.waitFor({ state: 'detached' });
    await expectDialogEntryRemoved(page);
    expect(page.url()).toContain('#/events');
  });

  it('the command palette has no accessibility violations in light and dark mode, wide and narrow', async () => {
    const { page, field } = await start();
    await page.keyboard.press('Control+k');
    await field.waitFor();
    await expectAccessibleAt(page, [360, 1280]);
  });
});
