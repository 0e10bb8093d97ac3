import { expect, it } from 'vitest';
import { describeInBrowser } from '../support/browser.ts';
import { openList, trigger } from './delivery-list.ts';

describeInBrowser('the failure indicator', () => {
  it('the title shows how many deliveries are failing or have failed', async () => {
    const { emulator, page } = await openList(
      {},
      { responses: (_, index) => (index === 2 ? 200 : 503), hash: '/events' },
    );
    await expect.poll(() => page.title()).toBe('Events · svc');
    await trigger(emulator, 2);
    await expect.poll(() => page.title()).toBe('(2) Events · svc');
    await emulator.control.settleClock({});
    await expect.poll(() => page.title()).toBe('(1) Events · svc');
  });
});
