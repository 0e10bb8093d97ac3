/** The trace of an event, and the phases of an attempt. */
import { expect, it, onTestFinished } from 'vitest';
import { MINUTE_MS } from '../../src/domain/duration.ts';
import { expectAccessible, expectAccessibleAt } from '../support/accessibility.ts';
import { describeInBrowser, openDashboard } from '../support/browser.ts';
import { startTestEmulator } from '../support/test-emulator.ts';
import { createReceiver } from '../support/test-receiver.ts';

/** An event with a failed and a succeeded attempt, and a replay with a new ID. */
async function start() {
  const emulator = await startTestEmulator();
  onTestFinished(emulator.close);
  const { control } = emulator;
  const receiver = await createReceiver([503, 200, 200]);
  onTestFinished(receiver.close);
  await control.createWebhook({ url: `http://localhost:${receiver.port}/hooks` });
  const { json } = await emulator.api('POST', '/events', { type: 'order.shipped', payload: {} });
  const { workspace_id } = emulator.status();
  await control.advanceClock({ workspace_id, ms: 5 * MINUTE_MS });
  const [delivery] = (await control.listDeliveries({})).data;
  const id = delivery?.id ?? '';
  const replay = () => control.replayDelivery({ id, new_id: true });
  await replay();
  await control.advanceClock({ workspace_id, ms: 0 });
  return { emulator, eventId: json.id as string, deliveryId: id, replay };
}

describeInBrowser('the trace', () => {
  it('the trace shows the request, the event, its attempts and its replays as nested lists, and follows new replays', async () => {
    const { emulator, eventId, replay } = await start();
    const page = await openDashboard(emulator, { hash: `/events/${eventId}` });
    await page.getByRole('tab', { name: 'Trace' }).click();
    await expect.poll(() => page.url()).toContain('show=trace');
    const trace = page.getByRole('list', { name: 'Trace' });
    await trace.getByRole('link', { name: 'POST /v1/events' }).waitFor();
    const delivery = trace.locator(':scope > li > ul > li > ul > li');
    const attempts = delivery.locator(':scope > ul > li');
    await expect.poll(() => attempts.count()).toBe(3);
    await expect
      .poll(() => attempts.nth(0).locator('.trace-row').textContent())
      .toMatch(/Attempt 1.*503\+0s/);
    await expect
      .poll(() => attempts.nth(1).locator('.trace-row').textContent())
      .toMatch(/Attempt 2.*200\+5m/);
    await expect
      .poll(() => attempts.nth(2).locator('.trace-row').allTextContents())
      .toEqual([expect.stringMatching(/succeeded.*replay/), expect.stringMatching(/Attempt 1.*200\+5m/)]);
    await replay();
    await expect.poll(() => attempts.count()).toBe(4);
    await expectAccessible(page);
  });

  it('the trace shows scheduled attempts, and more than 50 deliveries', async () => {
    const emulator = await startTestEmulator();
    onTestFinished(emulator.close);
    const { control } = emulator;
    for (let index = 0; index < 51; index++) {
      await control.createWebhook({ url: `http://127.0.0.1:9/${index}` });
    }
    const { json } = await emulator.api('POST', '/events', { type: 'order.shipped', payload: {} });
    await control.advanceClock({ workspace_id: emulator.status().workspace_id, ms: 0 });
    const page = await openDashboard(emulator, { hash: `/events/${json.id}?show=trace` });
    const deliveries = page.getByRole('list', { name: 'Trace' }).getByText('failing');
    await expect.poll(() => deliveries.count()).toBe(51);
    await page.getByText('next attempt in 5m').first().waitFor();
  });

  it('the trace opens from a delivery, whose attempts have a tab with their phases', async () => {
    const { emulator, deliveryId } = await start();
    const page = await openDashboard(emulator, { hash: `/deliveries/${deliveryId}?attempt=1` });
    await page.getByRole('tab', { name: 'Timing' }).click();
    const phases = page.getByRole('table', { name: 'Phases of attempt 1 in real time' });
    await expect
      .poll(() => phases.getByRole('rowheader').allTextContents())
      .toEqual(['queued', 'DNS', 'connect', 'send', 'wait', 'receive']);
    const starts = (await page.evaluate(
      '[...document.querySelectorAll(".phase-track > .phase")].map((bar) => bar.getBoundingClientRect().left)',
    )) as number[];
    expect(starts).toHaveLength(6);
    expect(starts).toEqual(starts.toSorted((a, b) => a - b));
    expect(starts.at(-1)).toBeGreaterThan(starts[0] ?? 0);
    await expectAccessible(page);
    await page.getByRole('button', { name: /Attempt\s+#2/ }).click();
    await page.getByText('Reused connection: no DNS, connect and TLS').waitFor();
    await page.getByRole('link', { name: 'trace' }).click();
    await page.getByRole('list', { name: 'Trace' }).waitFor();
    await page.getByRole('link', { name: 'Attempt 2' }).click();
    await expect.poll(() => page.url()).toContain(`${deliveryId}?attempt=2`);
  });

  it('the trace has no accessibility violations and no horizontal scrolling in light and dark mode at any width', async () => {
    const { emulator, eventId } = await start();
    const page = await openDashboard(emulator, { hash: `/events/${eventId}?show=trace` });
    await page.getByRole('list', { name: 'Trace' }).waitFor();
    for (const width of [320, 360, 1280, 1920]) {
      await expectAccessibleAt(page, [width]);
      await expect
        .poll(() =>
          page.evaluate(
            `(() => {
              const rightOf = (element) => element.getBoundingClientRect().right;
              const end = rightOf(document.querySelector('.trace'));
              const elements = [...document.querySelectorAll('.trace *')];
              return elements.filter((element) => rightOf(element) > end + 1).map(({ outerHTML }) => outerHTML);
            })()`,
          ),
        )
        .toEqual([]);
    }
  });
});
