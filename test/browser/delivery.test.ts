/** The delivery page: summary, timeline, attempts and copying. */
import type { Page } from 'playwright-core';
import { expect, it, onTestFinished } from 'vitest';
import { expectAccessible, expectAccessibleAt } from '../support/accessibility.ts';
import { describeInBrowser, type OpenOptions, openDashboard } from '../support/browser.ts';
import { startTestEmulator } from '../support/test-emulator.ts';
import { createReceiver, type ReceiverResponses } from '../support/test-receiver.ts';

interface Setup {
  readonly payload?: Record<string, unknown>;
  readonly openOptions?: OpenOptions;
  /** The query string of the route. */
  readonly query?: string;
}

/** A frozen emulator that sent one event to a receiver, and the page of its delivery. */
async function openDelivery(
  responses: ReceiverResponses,
  { payload = { order: 'ord_1' }, openOptions, query = '' }: Setup = {},
) {
  const emulator = await startTestEmulator();
  const receiver = await createReceiver(responses);
  onTestFinished(emulator.close);
  onTestFinished(receiver.close);
  const { workspace_id } = emulator.status();
  const url = `${receiver.url}/hooks`;
  const { json: webhook } = await emulator.api('POST', '/webhooks', { workspace_id, url, events: ['*'] });
  await emulator.api('POST', '/events', { workspace_id, type: 'order.shipped', payload });
  const advance = (ms: number) => emulator.control.advanceClock({ workspace_id, ms });
  await receiver.request(1);
  await advance(0);
  const { data } = await emulator.control.listDeliveries({ workspace_id });
  const id = data[0]?.id ?? '';
  const at = `/deliveries/${id}${query}`;
  const page = await openDashboard(emulator, { hash: at, ...openOptions });
  return { emulator, receiver, workspace_id, webhook, advance, id, at, page };
}

const MINUTE_MS = 60_000;

const clipboardOf = (page: Page) => page.evaluate('navigator.clipboard.readText()');
const marksOf = (page: Page) =>
  page.getByRole('region', { name: 'Timeline' }).locator('li').locator('.timeline-mark');
const headingOf = (page: Page, number: number, count: number) =>
  page.getByRole('heading', { name: `Attempt ${number} of ${count}` });

describeInBrowser('the delivery page', () => {
  it('the delivery page shows why the delivery failed, what to do, and the response of the receiver', async () => {
    const { page, webhook, receiver } = await openDelivery([404]);
    const verdict = page.getByRole('region', { name: 'Summary' });
    await verdict.getByText('Your receiver returned 404.').waitFor();
    await verdict.getByText('Check the path of the endpoint URL, and correct it with:').waitFor();
    await verdict.getByRole('button', { name: 'Copy command' }).click();
    await expect.poll(() => clipboardOf(page)).toBe(`svc webhooks update ${webhook.id} --url URL`);
    const endpoint = page.getByRole('link', { name: `${receiver.url}/hooks` });
    await expect.poll(() => endpoint.getAttribute('href')).toBe(`#/webhooks/${webhook.id}`);
  });

  it('the delivery page says that a fault responded, and to replay the delivery after the fault is removed', async () => {
    const { emulator, page, webhook, advance } = await openDelivery([500]);
    const fault = await emulator.control.addFault({
      on: 'delivery',
      kind: 'error-response',
      webhook_id: webhook.id,
    });
    await advance(5 * MINUTE_MS);
    const summary = page.getByRole('region', { name: 'Summary' });
    await summary.getByText('An injected fault returned 503. Your receiver was not called.').waitFor();
    await summary.getByText(`svc faults clear ${fault.id}`).waitFor();
    await page.getByText(/not sent, ended/).waitFor();
    await emulator.control.clearFaults({ id: fault.id });
    await page.reload();
    const remedy = 'The injected fault (error-response) no longer applies. Replay the delivery';
    await summary.getByText(remedy).waitFor();
  });

  it('the delivery page shows that the delivery is paused and how to enable its endpoint [delivery.paused]', async () => {
    const { emulator, page, webhook } = await openDelivery(503);
    const verdict = page.getByRole('region', { name: 'Summary' });
    await verdict.getByText('Your receiver returned 503.').waitFor();
    await emulator.control.updateWebhook({ id: webhook.id, disabled: true });
    await page.reload();
    await verdict.getByText('Paused: the endpoint is disabled.').waitFor();
    await verdict.getByText(`svc webhooks update ${webhook.id} --enable`).waitFor();
    await page.locator('.delivery > .row').getByText('paused').waitFor();
  });

  it('the delivery page shows the next attempt while the clock is frozen, and advances the clock to it', async () => {
    const { page, receiver } = await openDelivery([503, 200]);
    await page.getByText(/Next attempt in 5m/).waitFor();
    await page.getByText('The clock is frozen').waitFor();
    await page.getByRole('button', { name: 'Advance to this attempt' }).click();
    await page.getByText('Delivered on attempt 2.').waitFor();
    expect(receiver.requests).toHaveLength(2);
    await expect.poll(() => page.getByText('Next attempt').count()).toBe(0);
  });

  it('the delivery page shows that an attempt is due while it is in progress', async () => {
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { page, emulator, workspace_id } = await openDelivery([503, { after: released }]);
    await page.getByText(/Next attempt in 5m/).waitFor();
    const moved = emulator.control.nextClock({ workspace_id });
    await page.getByText('The next attempt is due now.').waitFor();
    release();
    await page.getByText('Delivered on attempt 2.').waitFor();
    await moved;
  });

  it('the delivery page counts down in schedule time and in real time while the clock runs', async () => {
    const { page, emulator, workspace_id } = await openDelivery([503]);
    await emulator.control.setClock({ workspace_id, speed: 0.5, frozen: false });
    await page
      .getByText(/Next attempt in 4m \d+s of schedule time, (10m|9m \d+s) of real time at ×0\.5/)
      .waitFor();
  });

  it('the delivery page shows every attempt in the timeline with an accessible name', async () => {
    const { page, advance, emulator, id } = await openDelivery([500, 302, 503, 200]);
    await advance(35 * MINUTE_MS);
    await emulator.control.replayDelivery({ id });
    await headingOf(page, 4, 4).waitFor();
    await expect
      .poll(() => marksOf(page).allTextContents())
      .toEqual([
        'Attempt #1 500, failedstart',
        'Attempt #2 302, failed+5m',
        'Attempt #3 503, failed+35m',
        'Attempt #4 200, succeeded replay+35m',
      ]);
  });

  it('the delivery page shortens long gaps and shows the planned retries until the end of the retry window', async () => {
    const { page } = await openDelivery([500]);
    await headingOf(page, 1, 1).waitFor();
    await expect
      .poll(() => marksOf(page).allTextContents())
      .toEqual([
        'Attempt #1 500, failedstart',
        ...['+5m', '+35m', '+2h 35m', '+8h 35m', '+20h 35m', '+1d 20h', '+2d 20h'].map(
          (since, index) => `#${index + 2} planned${since}`,
        ),
        'retry window ends+72h',
      ]);
    const lengths = page.locator('.timeline-gap-collapsed .timeline-gap-duration');
    await expect.poll(() => lengths.allTextContents()).toEqual(['2h', '6h', '12h', '1d', '1d', '3h 25m']);
  });

  it('the delivery page keeps the selected attempt in the URL and selects another with the arrow keys', async () => {
    const { page, advance } = await openDelivery([500, 302, 503], { query: '?attempt=1' });
    await advance(35 * MINUTE_MS);
    await headingOf(page, 1, 3).waitFor();
    await marksOf(page).nth(1).click();
    await headingOf(page, 2, 3).waitFor();
    await expect.poll(() => page.url()).toContain('attempt=2');
    await page.keyboard.press('ArrowRight');
    await headingOf(page, 3, 3).waitFor();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    await headingOf(page, 1, 3).waitFor();
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toContain('#1');
    await page.reload();
    await headingOf(page, 1, 3).waitFor();
  });

  it('the delivery page shows a new attempt immediately', async () => {
    const { page, advance } = await openDelivery([500, 503]);
    await headingOf(page, 1, 1).waitFor();
    await advance(5 * MINUTE_MS);
    await headingOf(page, 2, 2).waitFor();
    await page.getByText('Your receiver returned 503.').waitFor();
  });

  it('the delivery page shows the request body formatted and raw, and never as markup', async () => {
    const payload = { note: '<img src=x onerror=alert(1)><script>alert(2)</script>', price: 12.5 };
    const { page, receiver } = await openDelivery(200, { payload });
    const { headers, body } = await receiver.request(1);
    const panel = page.getByRole('tabpanel');
    await panel.getByRole('row', { name: `Service-Signature ${headers['service-signature']}` }).waitFor();
    await panel.getByText(`Raw (${body.length} bytes)`).waitFor();
    await expect
      .poll(() => panel.getByRole('textbox', { name: 'Formatted body' }).innerText())
      .toBe(JSON.stringify(JSON.parse(body.toString()), null, 2));
    await expect.poll(() => panel.locator('pre').first().textContent()).toBe(body.toString());
    await panel.getByText('Raw HTTP request').click();
    await panel.getByText('POST /hooks HTTP/1.1').waitFor();
    expect(await page.locator('main :is(img[src=x], script)').count()).toBe(0);
  });

  it('the delivery page shows the response, and says when it is truncated, binary or missing', async () => {
    const responses = [
      { status: 500, headers: { 'content-type': 'application/json' }, body: '{"error":"down"}' },
      { status: 500, body: 'x'.repeat(200_000) },
      { status: 500, body: Buffer.from([0xff, 0xfe, 0x00]) },
      { drop: true },
    ];
    const { page, advance } = await openDelivery(responses, { query: '?tab=response' });
    const panel = page.getByRole('tabpanel');
    await panel.getByText('"error": "down"').waitFor();
    await advance(5 * MINUTE_MS);
    await panel.getByText('Only the first part is stored').waitFor();
    await advance(30 * MINUTE_MS);
    await panel.getByText('Binary body (3 bytes, base64)').waitFor();
    await panel.getByText('//4A').waitFor();
    await advance(120 * MINUTE_MS);
    await panel.getByText('No response: ').waitFor();
  });

  it('the delivery page shows the differences between two attempts', async () => {
    const { page, advance } = await openDelivery([
      { status: 500, body: 'a\nb\nc' },
      { status: 503, body: 'a\nx\nc' },
    ]);
    await advance(5 * MINUTE_MS);
    await page.getByRole('tab', { name: 'Compare' }).click();
    const panel = page.getByRole('tabpanel');
    const response = panel.getByRole('region', { name: 'Response' });
    const changed = (number: number) =>
      response
        .getByRole('textbox', { name: `Response of Attempt ${number}` })
        .locator('.cm-changedLine')
        .allTextContents();
    await expect.poll(() => changed(1)).toEqual(expect.arrayContaining(['500', 'b']));
    await expect.poll(() => changed(2)).toEqual(expect.arrayContaining(['503', 'x']));
    await panel.getByRole('region', { name: 'Request body' }).getByText('identical').waitFor();
  });

  it('the delivery page names the injected fault and links its endpoint', async () => {
    const { page, emulator, advance, webhook } = await openDelivery([500, 401]);
    await emulator.control.addFault({ on: 'delivery', kind: 'bad-signature', webhook_id: webhook.id });
    await advance(5 * MINUTE_MS);
    const verdict = page.getByRole('region', { name: 'Summary' });
    await verdict.getByText('The injected fault bad-signature').waitFor();
    await verdict.getByText(/svc faults clear flt_/).waitFor();
    const link = page.getByRole('link', { name: /^bad-signature \(flt_/ });
    await expect.poll(() => link.getAttribute('href')).toBe(`#/webhooks/${webhook.id}`);
  });

  it('the delivery page copies the attempt in every format', async () => {
    const { page, receiver, id } = await openDelivery(200);
    const { body } = await receiver.request(1);
    await headingOf(page, 1, 1).waitFor();
    await page.keyboard.press('c');
    const dialog = page.getByRole('dialog', { name: 'Copy attempt 1' });
    const copy = async (form: string, what: string) => {
      await dialog.getByRole('tab', { name: form }).click();
      // The message disappears after 1.5 seconds, so the test looks for it before it clicks.
      await Promise.all([
        dialog.getByRole('status').getByText('Copied').waitFor(),
        dialog.getByRole('button', { name: `Copy ${what}` }).click(),
      ]);
    };
    await copy('curl', 'curl command');
    await expect.poll(() => clipboardOf(page)).toContain(`--data-raw '${body}'`);
    await copy('svc', 'command “Replay the delivery with the same ID”');
    await expect.poll(() => clipboardOf(page)).toBe(`svc deliveries replay ${id}`);
    await copy('Raw HTTP', 'raw request');
    await expect.poll(() => clipboardOf(page)).toMatch(/^POST \/hooks HTTP\/1\.1\r?\nhost: /);
    await copy('Vitest', 'test');
    await expect
      .poll(() => clipboardOf(page))
      .toContain("await workspace.trigger('order.shipped', payload);");
    await expectAccessible(page);
  });

  it('the delivery page shows an error for an unknown delivery ID', async () => {
    const at = '/deliveries/del_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D';
    const { page } = await openDelivery(200, { openOptions: { hash: at, expectedErrors: /404/ } });
    await page.getByRole('alert').getByText('del_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D').waitFor();
    await page.getByRole('button', { name: 'Try again' }).waitFor();
  });

  it('the delivery page has no accessibility violations in light and dark mode, wide and narrow', async () => {
    const { page, advance } = await openDelivery([500, 401, 200]);
    await advance(5 * MINUTE_MS);
    await headingOf(page, 2, 2).waitFor();
    for (const tab of ['Request', 'Response', 'Compare']) {
      await page.getByRole('tab', { name: tab }).click();
      await page.getByRole('tabpanel', { name: tab }).waitFor();
      await expectAccessibleAt(page, [360, 1920]);
    }
  });
});
