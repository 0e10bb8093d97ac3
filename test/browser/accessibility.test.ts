/** The views in their usual states, against WCAG 2.2. Dialogs and rare states are checked where they are tested. */
import type { Locator, Page } from 'playwright-core';
import { it } from 'vitest';
import { COLOR_RULES, expectAccessible, expectAccessibleAt } from '../support/accessibility.ts';
import { describeInBrowser, openDashboard } from '../support/browser.ts';
import { startPair } from './open-emulator.ts';

/** The IDs of an event, its failing delivery, its endpoint and its request. */
type Ids = Readonly<Record<'event' | 'delivery' | 'webhook' | 'request', string>>;

const heading = (page: Page, name: string) => page.getByRole('heading', { name });

const views: readonly (readonly [hash: (ids: Ids) => string, content: (page: Page) => Locator])[] = [
  [
    () => '/deliveries?since=1h',
    (page) =>
      page
        .getByRole('region', { name: 'List' })
        .filter({ has: page.getByRole('combobox', { name: 'Response' }) })
        .getByText('retry in'),
  ],
  [
    ({ delivery }) => `/deliveries/${delivery}`,
    (page) => page.getByRole('tabpanel', { name: 'Response and payload' }),
  ],
  [
    ({ delivery }) => `/deliveries/${delivery}?tab=compare`,
    (page) => page.getByRole('tabpanel', { name: 'Compare with the last success' }),
  ],
  [({ delivery }) => `/deliveries/${delivery}?tab=signature`, (page) => heading(page, 'Signed content')],
  [() => '/events', (page) => page.getByText('1 failing')],
  [({ event }) => `/events/${event}`, (page) => heading(page, 'Deliveries')],
  [() => '/requests', (page) => page.getByText('not_found')],
  [({ request }) => `/requests/${request}`, (page) => page.getByRole('region', { name: 'Error' })],
  [
    ({ webhook }) => `/webhooks/${webhook}`,
    (page) => page.getByRole('main').filter({ hasText: '1 of the last 2' }).getByText('order.lost'),
  ],
  [() => '/home', (page) => page.getByRole('region', { name: 'Active faults' }).getByText('order.lost')],
];

describeInBrowser('the accessibility of the views', () => {
  it('no view has accessibility violations in light and dark mode or with forced colors, or scrolls horizontally, at 320 and 1920 px', {
    timeout: 300_000,
  }, async () => {
    const { emulator, receiver, webhook } = await startPair([200, 503]);
    const { control } = emulator;
    await control.addFault({ on: 'delivery', kind: 'delay', type: 'order.lost', count: 1 });
    for (const count of [1, 2]) {
      await emulator.api('POST', '/events', { type: 'order.shipped', payload: { count } });
      await receiver.waitFor(count);
      await control.advanceClock({ ms: 0 });
    }
    await emulator.api('GET', '/nowhere');
    const [delivery] = (await control.listDeliveries({ status: 'failing' })).data;
    const [request] = (await control.listRequests({ status: 404 })).data;
    const ids = { event: delivery?.event_id, delivery: delivery?.id, request: request?.id };
    const page = await openDashboard(emulator, { hash: '/trigger' });
    for (const [toHash, content] of views) {
      await page.emulateMedia({ forcedColors: null });
      const hash = toHash({ ...(ids as Omit<Ids, 'webhook'>), webhook: webhook.id });
      await page.evaluate(`location.hash = '${hash}'`);
      await content(page).waitFor();
      await expectAccessibleAt(page, [320, 1920]);
      await page.emulateMedia({ forcedColors: 'active' });
      await expectAccessible(page, COLOR_RULES);
    }
  });
});
