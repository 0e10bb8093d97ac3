/** Replaying from the page: with one press, otherwise than before, and many at once. */
import { expect, it } from 'vitest';
import { startDelivering } from '../delivery/delivering.ts';
import { describeInBrowser, openDashboard } from '../support/browser.ts';

describeInBrowser('a replay', () => {
  it('of a failing delivery is one press, and its outcome arrives', async () => {
    const { emulator, receiver, deliver } = await startDelivering([503, 200]);
    const { id } = await deliver();
    const page = await openDashboard(emulator, { at: `/deliveries/${id}` });
    await page.getByRole('button', { name: 'Replay', exact: true }).click();
    await page.getByText('succeeded 200').first().waitFor();
    await page.getByRole('link', { name: 'Open attempt 2' }).click();
    await expect.poll(() => page.url()).toContain(`/deliveries/${id}?attempt=2`);
    expect(receiver.requests.map(({ headers }) => headers['service-delivery-id'])).toEqual([id, id]);
  });
});
