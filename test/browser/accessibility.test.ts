/** The views in their usual states, against WCAG 2.2. Dialogs and rare states are checked where they are tested. */
import type { Locator, Page } from 'playwright-core';
import { it } from 'vitest';
import { expectAccessible, expectAccessibleAt } from '../support/accessibility.ts';
import { describeInBrowser, openDashboard } from '../support/browser.ts';
import { startPair } from './open-emulator.ts';

/** The IDs of an event, its failing delivery, its endpoint and its request. */
type Ids = Readonly<Record<'event' | 'delivery' | 'webhook' | 'request', string>>;

const heading = (page: Page, name: string) => page.getByRole('heading', { name });

const views: readonly (readonly [
  view: string,
  hash: (ids: Ids) => string,
  content: (page: Page) => Locator,
])[] = [
  ['the delivery list', () => '/deliveries?since=1h', (page) => page.getByText('retry in').first()],
  [
    'the delivery page',
    ({ delivery }) => `/deliveries/${delivery}`,
    (page) => page.getByRole('tabpanel', { name: 'Response and payload' }),
  ],
  [
    'the comparison with the last success',
    ({ delivery }) => `/deliveries/${delivery}?tab=compare`,
    (page) => page.getByRole('tabpanel', { name: 'Compare with the last success' }),
  ],
  [
    'the signature tab',
    ({ delivery }) => `/deliveries/${delivery}?tab=signature`,
    (page) => heading(page, 'Signed content'),
  ],
  ['the event list', () => '/events', (page) => page.getByText('1 failing')],
  ['the event page', ({ event }) => `/events/${event}`, (page) => heading(page, 'Deliveries')],
  ['the request log', () => '/requests', (page) => page.getByText('not_found')],
  [
    'the request page',
    ({ request }) => `/requests/${request}`,
    (page) => page.getByRole('region', { name: 'Error' }),
  ],
  ['the endpoint page', ({ webhook }) => `/webhooks/${webhook}`, (page) => page.getByText('1 of the last 2')],
  ['the first page', () => '/home', (page) => page.getByText('50%')],
];

describeInBrowser('the accessibility of the views', () => {
  it.each(views)(
    '%s has no accessibility violations in light and dark mode and with forced colors, and does not scroll horizontally, at 320 and 1920 px',
    async (_, toHash, content) => {
      const { emulator, receiver, webhook } = await startPair([200, 503]);
      const { control } = emulator;
      for (const count of [1, 2]) {
        await emulator.api('POST', '/events', { type: 'order.shipped', payload: { count } });
        await receiver.waitFor(count);
        await control.advanceClock({ ms: 0 });
      }
      await emulator.api('GET', '/nowhere');
      const [delivery] = (await control.listDeliveries({ status: 'failing' })).data;
      const [request] = (await control.listRequests({ status: 404 })).data;
      const ids = { event: delivery?.event_id, delivery: delivery?.id, request: request?.id };
      const hash = toHash({ ...(ids as Omit<Ids, 'webhook'>), webhook: webhook.id });
      const page = await openDashboard(emulator, { hash });
      await content(page).waitFor();
      await expectAccessibleAt(page, [1920, 320]);
      await page.emulateMedia({ forcedColors: 'active' });
      await expectAccessible(page);
    },
  );

  it('the trigger page with an error has no accessibility violations in light and dark mode, wide and narrow', async () => {
    const { emulator } = await startPair(503);
    const page = await openDashboard(emulator, { hash: '/trigger?type=Pets', expectedErrors: /422/ });
    await page.getByLabel('Payload').waitFor();
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText('Must have the form').waitFor();
    await expectAccessibleAt(page, [320, 1920]);
  });
});
