/** The delivery list: live updates, filters, scrolling and keyboard navigation. */

import type { Page } from 'playwright-core';
import { expect, it, onTestFinished } from 'vitest';
import { HOUR_MS } from '../../src/domain/duration.ts';
import { expectAccessible } from '../support/accessibility.ts';
import { describeInBrowser, expectFocused, openDashboard } from '../support/browser.ts';
import { startTestEmulator, type TestEmulator } from '../support/test-emulator.ts';
import { createReceiver, type ReceiverResponses } from '../support/test-receiver.ts';

/** An emulator that delivers every event to a receiver. */
async function openEmulator(responses?: ReceiverResponses) {
  const emulator = await startTestEmulator();
  onTestFinished(emulator.close);
  const receiver = await createReceiver(responses);
  onTestFinished(() => receiver.close());
  const { workspace_id } = emulator.status();
  await emulator.api('POST', '/webhooks', { workspace_id, url: `${receiver.url}/hooks`, events: ['*'] });
  return emulator;
}

async function trigger(emulator: TestEmulator, count: number, type = 'order.shipped') {
  for (let number = 0; number < count; number++) {
    const { status } = await emulator.api('POST', '/events', {
      type,
      payload: { number: `${type} no. ${number}` },
    });
    expect(status).toBe(201);
  }
}

const gridOf = (page: Page) => page.getByRole('grid', { name: 'Deliveries' });
const rowsOf = (page: Page) => gridOf(page).locator('.virtual-list-body').getByRole('row');
const selectedOf = (page: Page) => page.locator('[role="row"][aria-selected="true"]');
const typesOf = (page: Page) => rowsOf(page).getByRole('link').allTextContents();
const scrollOf = (page: Page) => gridOf(page).evaluate((grid) => grid.scrollTop);
/** Scrolls the list, and waits until the page has rendered the new rows. */
const scrollTo = (page: Page, top: number) =>
  gridOf(page).evaluate(
    (grid, top) =>
      new Promise((resolve) => {
        const drawn = () => requestAnimationFrame(() => requestAnimationFrame(resolve));
        grid.addEventListener('scroll', drawn, { once: true });
        grid.scrollTo({ top });
      }),
    top,
  );
const idOf = (page: Page) => /\/(del_\w+)/.exec(page.url())?.[1];

describeInBrowser('the delivery list', () => {
  it('the delivery list explains how to create the first delivery and shows it when it arrives', async () => {
    const emulator = await openEmulator();
    const page = await openDashboard(emulator);
    await page.getByText('svc trigger order.shipped').waitFor();
    await expectAccessible(page);
    await trigger(emulator, 1);
    await rowsOf(page).getByText('order.shipped').waitFor();
    await rowsOf(page).getByText('succeeded').waitFor();
  });

  it('the delivery list updates a row in place with its next attempt or the reason it stopped', async () => {
    const emulator = await openEmulator(500);
    const page = await openDashboard(emulator);
    await trigger(emulator, 1);
    await rowsOf(page).getByText('next attempt in').waitFor();
    await emulator.control.settleClock({});
    await rowsOf(page).getByText('no further attempt fits into the retry window').waitFor();
    await expect.poll(() => rowsOf(page).count()).toBe(1);
  });

  it('the delivery list shows the deliveries of the selected workspace, newest first', async () => {
    const emulator = await openEmulator();
    await trigger(emulator, 1, 'made.first');
    await trigger(emulator, 1, 'made.second');
    const page = await openDashboard(emulator);
    await expect.poll(() => typesOf(page)).toEqual(['made.second', 'made.first']);
    await emulator.control.createWorkspace({ name: 'Second' });
    await page.reload();
    await page.getByLabel('Workspace').selectOption('Second');
    await page.getByText('No deliveries yet').waitFor();
  });

  it('the delivery list names the endpoint in its first steps once one exists', async () => {
    const emulator = await openEmulator();
    const { data } = await emulator.control.listWebhooks({});
    for (const { id } of data) await emulator.control.deleteWebhook({ id });
    const page = await openDashboard(emulator);
    await page.getByText('svc listen --forward-to').waitFor();
    await emulator.control.createWebhook({ url: 'http://127.0.0.1:9/hooks' });
    await page.getByRole('link', { name: 'http://127.0.0.1:9/hooks' }).waitFor();
    await expect.poll(() => page.getByText('svc listen --forward-to').count()).toBe(0);
    await page.getByText('svc trigger').waitFor();
  });

  it('the delivery list shows the error of an invalid filter until that filter is removed', async () => {
    const emulator = await openEmulator();
    await trigger(emulator, 1);
    const unknown = `wh_${'0'.repeat(26)}`;
    const page = await openDashboard(emulator, {
      hash: `/deliveries?webhook=${unknown}`,
      expectedErrors: /404/,
    });
    await page.getByRole('alert').getByText(unknown).waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: `Remove filter Endpoint ${unknown}` }).click();
    await rowsOf(page).first().waitFor();
    await page.getByRole('alert').waitFor({ state: 'detached' });
  });

  it('the delivery list shows the deliveries of a new emulator that replaced the first one', async () => {
    const first = await openEmulator();
    await trigger(first, 1);
    const page = await openDashboard(first, { expectedErrors: /ERR_|Failed to load/ });
    await rowsOf(page).first().waitFor();
    const port = Number(new URL(first.status().url).port);
    await first.close();
    await page.getByText('Connection lost').waitFor();
    await expect.poll(() => rowsOf(page).count()).toBe(1);
    onTestFinished((await startTestEmulator({ port })).close);
    await page.getByText('No deliveries yet').waitFor();
  });

  it('the delivery list becomes empty when the emulator is reset', async () => {
    const emulator = await openEmulator();
    await trigger(emulator, 1);
    const page = await openDashboard(emulator);
    await rowsOf(page).first().waitFor();
    await emulator.control.reset({});
    await page.getByText('No deliveries yet').waitFor();
  });
});

describeInBrowser('a long delivery list', () => {
  it('a long delivery list renders few rows and loads the others on scroll', async () => {
    const emulator = await openEmulator();
    await trigger(emulator, 1, 'made.oldest');
    await trigger(emulator, 249);
    const page = await openDashboard(emulator);
    await rowsOf(page).first().waitFor();
    await expect.poll(() => gridOf(page).getAttribute('aria-rowcount')).toBe('-1');
    await gridOf(page).focus();
    await expect
      .poll(async () => {
        await page.keyboard.press('End');
        return typesOf(page);
      })
      .toContain('made.oldest');
    await selectedOf(page).getByText('made.oldest').waitFor();
    await expect.poll(() => rowsOf(page).count()).toBeLessThan(50);
    await expect.poll(() => gridOf(page).getAttribute('aria-rowcount')).toBe('251');
  });

  it('a long delivery list keeps its scroll position when deliveries arrive and counts them on a button', async () => {
    const emulator = await openEmulator();
    await trigger(emulator, 60);
    const page = await openDashboard(emulator);
    await rowsOf(page).first().waitFor();
    await scrollTo(page, 900);
    const before = await typesOf(page);
    await trigger(emulator, 3, 'new.one');
    await page.getByRole('button', { name: '3 new' }).waitFor();
    expect(await scrollOf(page)).toBe(900);
    expect(await typesOf(page)).toEqual(before);
    await page.getByRole('button', { name: '3 new' }).click();
    await expect
      .poll(async () => (await typesOf(page)).slice(0, 4))
      .toEqual(['new.one', 'new.one', 'new.one', 'order.shipped']);
    await expect.poll(() => scrollOf(page)).toBe(0);
    await page.getByRole('button', { name: /new/ }).waitFor({ state: 'detached' });
  });

  it('a long delivery list adds no rows while paused but updates the existing ones', async () => {
    const emulator = await openEmulator(500);
    await trigger(emulator, 1, 'old.one');
    const page = await openDashboard(emulator);
    await rowsOf(page).getByText('next attempt in').waitFor();
    await page.keyboard.press('p');
    await page.getByRole('button', { name: 'Resume live updates' }).waitFor();
    await trigger(emulator, 2, 'new.one');
    await page.getByRole('button', { name: '2 new' }).waitFor();
    await emulator.control.settleClock({});
    await rowsOf(page).getByText('failed').waitFor();
    expect(await typesOf(page)).toEqual(['old.one']);
    await page.keyboard.press('p');
    await expect.poll(() => typesOf(page)).toEqual(['new.one', 'new.one', 'old.one']);
  });
});

describeInBrowser('the delivery filters', () => {
  it('the delivery filters are stored in the URL and can be removed one by one or all at once', async () => {
    const emulator = await openEmulator();
    await trigger(emulator, 1, 'order.shipped');
    await trigger(emulator, 1, 'user.deleted');
    const page = await openDashboard(emulator, { width: 1600 });
    await page.getByLabel('Type').fill('order.shipped');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'succeeded', exact: true }).click();
    await expect.poll(() => typesOf(page)).toEqual(['order.shipped']);
    await expect
      .poll(() => new URL(page.url()).hash)
      .toBe('#/deliveries?type=order.shipped&status=succeeded');
    await page.reload();
    await expect.poll(() => typesOf(page)).toEqual(['order.shipped']);
    await page.getByRole('button', { name: 'Remove filter Type order.shipped' }).click();
    await expect.poll(() => typesOf(page)).toEqual(['user.deleted', 'order.shipped']);
    await page.getByRole('button', { name: 'failed', exact: true }).click();
    await page.getByText('No deliveries match').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await expect.poll(() => typesOf(page)).toHaveLength(2);
    await expect.poll(() => new URL(page.url()).hash).toBe('#/deliveries');
  });

  it('the delivery filters apply to live updates and remove rows that no longer match', async () => {
    const emulator = await openEmulator((request) => (request.envelope?.type === 'turned.down' ? 500 : 200));
    const page = await openDashboard(emulator, { hash: '/deliveries?status=pending' });
    await page.getByText('No deliveries match').waitFor();
    await trigger(emulator, 1, 'taken.up');
    await trigger(emulator, 1, 'turned.down');
    await expect.poll(() => typesOf(page)).toEqual(['turned.down']);
    await emulator.control.settleClock({});
    await page.getByText('No deliveries match').waitFor();
  });

  it('the delivery filters find text in the body of existing and new deliveries', async () => {
    const emulator = await openEmulator();
    await trigger(emulator, 2, 'order.shipped');
    await trigger(emulator, 2, 'user.deleted');
    const page = await openDashboard(emulator);
    await expect.poll(() => typesOf(page)).toHaveLength(4);
    await page.keyboard.press('/');
    await expectFocused(page.getByRole('searchbox', { name: 'Search' }));
    await page.keyboard.type('SHIPPED ');
    await expect.poll(() => new URL(page.url()).hash).toBe('#/deliveries?text=SHIPPED');
    await page.keyboard.type('NO. 1');
    await expect.poll(() => typesOf(page)).toEqual(['order.shipped']);
    await trigger(emulator, 2, 'order.shipped');
    await expect.poll(() => typesOf(page)).toEqual(['order.shipped', 'order.shipped']);
  });

  it('the delivery filters select deliveries by endpoint and by creation time', async () => {
    const emulator = await openEmulator();
    await trigger(emulator, 1, 'old.one');
    await emulator.control.advanceClock({ ms: 2 * HOUR_MS });
    await trigger(emulator, 1, 'new.one');
    const page = await openDashboard(emulator, { width: 1600 });
    await page.getByLabel('Created').selectOption('last hour');
    await expect.poll(() => typesOf(page)).toEqual(['new.one']);
    await page.getByLabel('Endpoint').selectOption({ index: 1 });
    await expect.poll(() => new URL(page.url()).hash).toMatch(/since=1h&webhook=wh_/);
    await page.getByLabel('Created').selectOption('custom range');
    await page.getByRole('button', { name: 'Remove filter Since 1h' }).click();
    const { created_at: at } = (await emulator.control.listDeliveries({})).data[0] ?? {};
    await page.getByLabel('Before (UTC)').fill(String(at).slice(0, 16));
    await expect.poll(() => typesOf(page)).toEqual(['old.one']);
  });
});

describeInBrowser('the delivery list and the open delivery', () => {
  it('the delivery list and the open delivery appear side by side on a wide screen and respond to keyboard shortcuts', async () => {
    const emulator = await openEmulator();
    await trigger(emulator, 3);
    const page = await openDashboard(emulator, { width: 1100 });
    const [newest, , oldest] = (await emulator.control.listDeliveries({})).data;
    await rowsOf(page).first().waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('article', { name: 'Delivery' }).waitFor();
    await expect.poll(() => idOf(page)).toBe(oldest?.id);
    await expect.poll(() => rowsOf(page).first().isVisible()).toBe(true);
    await expect
      .poll(async () => {
        const active = await gridOf(page).getAttribute('aria-activedescendant');
        return active !== null && active === (await selectedOf(page).getAttribute('id'));
      })
      .toBe(true);
    await page.keyboard.press('Home');
    await expect.poll(() => idOf(page)).toBe(newest?.id);
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await page.getByRole('article', { name: 'Delivery' }).waitFor({ state: 'detached' });
    await expect.poll(() => selectedOf(page).count()).toBe(1);
  });

  it('the delivery list and the open delivery replace each other on a narrow screen and keep the scroll position', async () => {
    const emulator = await openEmulator();
    await trigger(emulator, 40);
    const page = await openDashboard(emulator, { width: 360, hash: '/deliveries?type=order.shipped' });
    await rowsOf(page).first().waitFor();
    await scrollTo(page, 600);
    await rowsOf(page).nth(14).click();
    await page.getByRole('link', { name: 'All deliveries' }).waitFor();
    await expect.poll(() => rowsOf(page).nth(14).isVisible()).toBe(false);
    await expectAccessible(page);
    await page.getByRole('link', { name: 'All deliveries' }).click();
    await rowsOf(page).nth(14).waitFor();
    await expect.poll(() => scrollOf(page)).toBe(600);
    await expect.poll(() => new URL(page.url()).hash).toBe('#/deliveries?type=order.shipped');
  });

  it('the delivery list and the open delivery open the replay dialog with r', async () => {
    const emulator = await openEmulator();
    await trigger(emulator, 1);
    const page = await openDashboard(emulator);
    await rowsOf(page).first().waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('r');
    await page.getByRole('dialog', { name: 'Replay' }).waitFor();
  });

  it.each(['light', 'dark'] as const)(
    'the delivery list and the open delivery have no accessibility violations in %s mode, wide and narrow',
    async (colorScheme) => {
      const emulator = await openEmulator((_, index) => (index % 2 === 0 ? 200 : 500));
      await trigger(emulator, 20);
      for (const width of [360, 1280, 1920]) {
        const page = await openDashboard(emulator, { width, colorScheme, hash: '/deliveries?since=1h' });
        await rowsOf(page).getByText('next attempt').first().waitFor();
        await page.keyboard.press('j');
        await expectAccessible(page);
        await expect
          .poll(() => page.evaluate('document.querySelector("main").scrollWidth <= innerWidth'))
          .toBe(true);
      }
    },
  );
});
