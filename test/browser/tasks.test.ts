/** Frequent tasks, and how many clicks each takes. */
import type { Locator, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { describeInBrowser, openDashboard } from '../support/browser.ts';
import type { TestEmulator } from '../support/test-emulator.ts';
import { openEmulator, rowsOf, trigger } from './delivery-list.ts';
import { startReceiver } from './open-emulator.ts';

interface Task {
  readonly title: string;
  readonly clicks: number;
  /** The first page, with the IDs of the newest delivery and of its endpoint. */
  readonly from: (ids: { readonly delivery: string; readonly endpoint: string }) => string;
  readonly play: (place: {
    readonly page: Page;
    readonly emulator: TestEmulator;
    readonly click: (target: Locator) => Promise<void>;
    /** Counts as one click. */
    readonly drag: (from: Locator, to: Locator) => Promise<void>;
    /** The URL of a receiver without an endpoint. */
    readonly otherUrl: string;
  }) => Promise<void>;
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const toHome = () => '/home';
const toDelivery: Task['from'] = ({ delivery }) => `/deliveries/${delivery}`;
const toEndpoint: Task['from'] = ({ endpoint }) => `/webhooks/${endpoint}`;

const tasks: readonly Task[] = [
  {
    title: 'to see why an endpoint fails',
    clicks: 1,
    from: toHome,
    play: async ({ page, click }) => {
      await click(page.getByRole('link', { name: '503', exact: true }));
      await page.getByText('Your receiver returned 503.').waitFor();
    },
  },
  {
    title: 'to advance the clock by 35 minutes',
    clicks: 2,
    from: toDelivery,
    play: async ({ page, emulator, drag, click }) => {
      const before = Date.parse((await emulator.control.getClock({})).now);
      await drag(page.getByRole('slider'), page.locator('[data-state="due"][stroke-dasharray]').first());
      await click(button(page, 'Advance 35 min'));
      await page.getByText('attempts: ').waitFor();
      const after = Date.parse((await emulator.control.getClock({})).now);
      expect(Math.round((after - before) / 60_000)).toBe(35);
    },
  },
  {
    title: 'to replay a delivery with another body',
    clicks: 3,
    from: toDelivery,
    play: async ({ page, click }) => {
      await click(button(page, 'Edit and replay'));
      const editor = page.getByRole('textbox', { name: 'Body' });
      await click(editor);
      await editor.fill('{"a":1}');
      await click(page.getByRole('dialog').getByRole('button', { name: 'Replay', exact: true }));
      await page.getByText('Sent as a new delivery').waitFor();
    },
  },
  {
    title: 'to replay everything unsuccessful of the last hour',
    clicks: 3,
    from: toHome,
    play: async ({ page, click }) => {
      await click(page.getByRole('link', { name: 'Unsuccessful deliveries of the last hour' }));
      await click(button(page, 'Replay all matches'));
      await click(button(page, 'Replay 2 deliveries'));
      await page.getByText('0 of 2 succeeded. 2 failed.').waitFor();
    },
  },
  {
    title: 'to add an endpoint and send it a test event',
    clicks: 3,
    from: toHome,
    play: async ({ page, click, otherUrl }) => {
      await click(button(page, 'Register endpoint'));
      await page.keyboard.type(otherUrl);
      await click(page.getByRole('dialog').getByRole('button', { name: 'Register endpoint' }));
      await click(button(page, 'Send a test event'));
      await page.getByRole('heading', { name: 'Attempt 1 of 1' }).waitFor();
    },
  },
  {
    title: 'to make the next three attempts fail',
    clicks: 1,
    from: toEndpoint,
    play: async ({ page, click }) => {
      await click(button(page, 'Make it fail'));
      await page.getByText('applied 0 of 3 times').waitFor();
    },
  },
  {
    title: 'to compare a delivery with the last success',
    clicks: 1,
    from: toDelivery,
    play: async ({ page, click }) => {
      await click(page.getByRole('tab', { name: 'Compare with the last success' }));
      await page.getByRole('textbox', { name: /^Response of order\.shipped, attempt 1, 200/ }).waitFor();
    },
  },
  {
    title: 'to find a delivery by a value',
    clicks: 1,
    from: () => '/deliveries',
    play: async ({ page, click }) => {
      await click(page.getByRole('searchbox'));
      await page.keyboard.type('no. 1');
      await expect.poll(() => rowsOf(page).count()).toBe(1);
    },
  },
  {
    title: 'to rotate the secret of an endpoint',
    clicks: 3,
    from: toEndpoint,
    play: async ({ page, click }) => {
      await click(button(page, 'Rotate'));
      await click(page.getByRole('dialog').getByRole('button', { name: 'Rotate' }));
      await click(button(page, 'Done'));
      await page.getByText('expires in').waitFor();
    },
  },
  {
    title: 'to copy a delivery as Markdown',
    clicks: 1,
    from: toDelivery,
    play: async ({ page, click }) => {
      await click(page.getByRole('button', { name: 'Copy as Markdown' }));
      await expect
        .poll(() => page.evaluate('navigator.clipboard.readText()'))
        .toContain('# order.shipped: failing');
    },
  },
];

describeInBrowser('the tasks of the dashboard', () => {
  const rows = tasks.map(({ title, clicks, from, play }) => [title, clicks, from, play] as const);
  it.each(rows)('the number of clicks %s is %d', async (_, clicks, from, play) => {
    const emulator = await openEmulator([200, 503, 503, 503, 503], { clock: { frozen: true } });
    await trigger(emulator, 1);
    await expect
      .poll(async () => (await emulator.control.listDeliveries({ status: 'succeeded' })).data.length)
      .toBe(1);
    await trigger(emulator, 2);
    await expect.poll(async () => (await emulator.control.countDeliveries({})).failing).toBe(2);
    const other = await startReceiver(200);
    const [delivery] = (await emulator.control.listDeliveries({})).data;
    const ids = { delivery: delivery?.id ?? '', endpoint: delivery?.webhook_id ?? '' };
    const page = await openDashboard(emulator, { hash: from(ids) });
    let count = 0;
    const click = async (target: Locator) => {
      count++;
      await target.click();
    };
    const drag = async (source: Locator, target: Locator) => {
      count++;
      await source.hover();
      await page.mouse.down();
      await target.hover({ force: true });
      await page.mouse.up();
    };
    await play({ page, emulator, click, drag, otherUrl: other.url });
    expect(count).toBe(clicks);
  });
});
