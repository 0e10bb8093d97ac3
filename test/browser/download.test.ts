/** The menu that downloads deliveries. test/control/export tests the content of the files. */
import { readFileSync } from 'node:fs';
import type { Locator, Page } from 'playwright-core';
import { expect, it, onTestFinished } from 'vitest';
import { expectAccessible } from '../support/accessibility.ts';
import { describeInBrowser, expectFocused, type OpenOptions, openDashboard } from '../support/browser.ts';
import { startTestEmulator } from '../support/test-emulator.ts';
import { createReceiver } from '../support/test-receiver.ts';

/** An emulator with a delivery of each type, oldest first, and the dashboard. */
async function setUp(types: readonly string[]) {
  const emulator = await startTestEmulator();
  onTestFinished(emulator.close);
  const receiver = await createReceiver();
  onTestFinished(receiver.close);
  await emulator.control.createWebhook({ url: receiver.url });
  for (const type of types) {
    await emulator.api('POST', '/events', { type });
    await emulator.control.advanceClock({ ms: 1_000 });
  }
  const { data } = await emulator.control.listDeliveries({});
  const open = (options: OpenOptions) => openDashboard(emulator, options);
  return { emulator, open, deliveries: data.toReversed() };
}

/** Downloads what the page or the part of it offers. */
async function download(part: Page | Locator, format: string): Promise<{ name: string; text: string }> {
  const page = 'page' in part ? part.page() : part;
  await part.getByRole('button', { name: /^(?:More|Download…)$/ }).click();
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    part.getByRole('link', { name: format, exact: true }).click(),
  ]);
  return { name: file.suggestedFilename(), text: readFileSync(await file.path(), 'utf8') };
}

describeInBrowser('the download menu', () => {
  it('a delivery can be downloaded from its page', async () => {
    const { open, deliveries } = await setUp(['order.created', 'order.paid']);
    const id = deliveries[0]?.id ?? '';
    const page = await open({ hash: `/deliveries/${id}` });
    const { name, text } = await download(page.getByRole('article', { name: 'Delivery' }), 'HAR');
    expect(name).toBe(`${id}.har`);
    expect(JSON.parse(text).log.entries).toMatchObject([{ _delivery: { id } }]);
  });

  it('the deliveries of an event can be downloaded from its page', async () => {
    const { open, deliveries } = await setUp(['order.created', 'order.paid']);
    const { event_id: eventId = '', id } = deliveries[1] ?? {};
    const page = await open({ hash: `/events/${eventId}` });
    const { name, text } = await download(page, 'NDJSON');
    expect(name).toBe(`${eventId}.ndjson`);
    expect(
      text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).id),
    ).toEqual([id]);
  });

  it('the filtered list can be downloaded', async () => {
    const { open } = await setUp(['order.created', 'order.paid', 'order.created']);
    const page = await open({ hash: '/deliveries?type=order.created' });
    const { name, text } = await download(page, 'NDJSON');
    expect(name).toBe('deliveries.ndjson');
    expect(text.match(/"event_type":"[\w.]+"/g)).toEqual(Array(2).fill('"event_type":"order.created"'));
  });

  it('a filtered list without deliveries offers no replay and no download', async () => {
    const { open } = await setUp(['order.created']);
    const page = await open({ hash: '/deliveries?type=order.paid' });
    await page.getByText('No deliveries match these filters.').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).waitFor();
    expect(await page.getByRole('button', { name: /Replay all matches|Download…/ }).count()).toBe(0);
  });

  it.each([360, 1280])('the download menu is accessible and inside the window at %i px', async (width) => {
    const { open, deliveries } = await setUp(['order.created']);
    const page = await open({ hash: `/events/${deliveries[0]?.event_id}`, width });
    const button = page.getByRole('button', { name: 'Download…' });
    await button.click();
    const menu = page.getByRole('region', { name: 'Download the deliveries of this event' });
    const { x = -1, width: menuWidth = 0 } = (await menu.boundingBox()) ?? {};
    expect(x).toBeGreaterThanOrEqual(0);
    expect(x + menuWidth).toBeLessThanOrEqual(width);
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await menu.waitFor({ state: 'detached' });
    await expectFocused(button);
  });
});
