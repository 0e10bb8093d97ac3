/** The delivery page: summary, timeline, attempts and copying. */
import { createHmac } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { startDeliverySetup } from '../emulator/deliveries/delivery-setup.ts';
import { describeInBrowser, type OpenOptions, openDashboard } from '../support/browser.ts';
import type { ReceiverResponses } from '../support/test-receiver.ts';
import { startPair } from './open-emulator.ts';

interface Setup {
  readonly openOptions?: OpenOptions;
  /** The query string of the route. */
  readonly query?: string;
}

/** A frozen emulator that sent one event to a receiver, and the page of its delivery. */
async function openDelivery(responses: ReceiverResponses, { openOptions, query = '' }: Setup = {}) {
  const { emulator, receiver, webhook } = await startPair(responses);
  const { workspace_id } = emulator.status();
  await emulator.api('POST', '/events', { workspace_id, type: 'order.shipped', payload: { order: 'ord_1' } });
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
const timelineOf = (page: Page) => page.getByRole('region', { name: 'Timeline' });
const attemptsOf = (page: Page) => timelineOf(page).getByRole('link');
const causeOf = (page: Page) => page.getByRole('region', { name: 'Cause' });
const headingOf = (page: Page, number: number, count: number) =>
  page.getByRole('heading', { name: `Attempt ${number} of ${count}` });

describeInBrowser('the delivery page', () => {
  it('the delivery page shows the type, the cause, the timeline, the response and the payload in the first 800 pixels', async () => {
    const { page, webhook, receiver } = await openDelivery([{ status: 503, body: '{"error":"down"}' }]);
    const cause = causeOf(page);
    await cause.getByText('Your receiver returned 503.').waitFor();
    const response = page.getByRole('textbox', { name: 'Response' });
    const payload = page.getByRole('textbox', { name: 'Payload' });
    await response.getByText('"error": "down"').waitFor();
    await payload.getByText('"order": "ord_1"').waitFor();
    const parts = [
      page.getByRole('heading', { name: 'order.shipped' }),
      page.getByRole('button', { name: 'Replay', exact: true }),
      page.getByRole('button', { name: 'Edit and replay' }),
      page.getByRole('button', { name: 'Copy as Markdown' }),
      cause,
      page.getByRole('region', { name: 'Timeline' }),
      response.getByText('"error": "down"'),
      payload.getByText('"type"').first(),
    ];
    for (const part of parts) {
      const box = await part.boundingBox();
      expect((box?.y ?? 800) + (box?.height ?? 0)).toBeLessThan(800);
    }
    const [left, right] = [await response.boundingBox(), await payload.boundingBox()];
    expect((left?.x ?? 0) + (left?.width ?? 0)).toBeLessThanOrEqual(right?.x ?? 0);
    const endpoint = page.getByRole('link', { name: `${receiver.url}/hooks` });
    await expect.poll(() => endpoint.getAttribute('href')).toBe(`#/webhooks/${webhook.id}`);
  });

  it('the delivery page shows the command that changes the URL of the endpoint after a 404, changes it, and completes a URL without a scheme', async () => {
    const { page, emulator, webhook } = await openDelivery([404]);
    await causeOf(page).getByText('Commands').click();
    await page.getByText('Check the path of the endpoint URL. If it is correct').waitFor();
    await page.getByRole('button', { name: 'Copy command' }).first().click();
    await expect.poll(() => clipboardOf(page)).toBe(`svc webhooks update ${webhook.id} --url URL`);
    await causeOf(page).getByRole('button', { name: 'Change the URL' }).click();
    const dialog = page.getByRole('dialog', { name: 'Edit endpoint' });
    await dialog.getByLabel('URL').fill('localhost:6101/hooks');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect((await emulator.control.getWebhook({ id: webhook.id })).url).toBe('http://localhost:6101/hooks');
  });

  it('the delivery page removes the fault that caused the failure, and shows no button for a fault that is used up', async () => {
    const { emulator, page, webhook, advance } = await openDelivery([500]);
    await emulator.control.addFault({ on: 'delivery', kind: 'error-response', webhook_id: webhook.id });
    await advance(5 * MINUTE_MS);
    const cause = causeOf(page);
    const fault = cause.getByText(
      /The injected fault error-response \(flt_\w+\) returned 503 .*; nothing was sent/,
    );
    await fault.waitFor();
    await page.getByText(/not sent, ended/).waitFor();
    const link = page.getByRole('link', { name: 'error-response', exact: true });
    await expect.poll(() => link.getAttribute('href')).toBe(`#/webhooks/${webhook.id}`);
    const remove = cause.getByRole('button', { name: 'Remove the fault' });
    await remove.click();
    await expect.poll(() => remove.count()).toBe(0);
    expect((await emulator.control.listFaults({})).data).toEqual([]);
    await emulator.control.addFault({
      on: 'delivery',
      kind: 'error-response',
      webhook_id: webhook.id,
      count: 1,
    });
    await advance(30 * MINUTE_MS);
    await headingOf(page, 3, 3).waitFor();
    await fault.waitFor();
    expect(await remove.count()).toBe(0);
  });

  it('the delivery page shows that the delivery is paused, and enables its endpoint [delivery.paused]', async () => {
    const { emulator, page, webhook } = await openDelivery(503);
    await causeOf(page).getByText('Your receiver returned 503.').waitFor();
    await emulator.control.updateWebhook({ id: webhook.id, disabled: true });
    await page.reload();
    await causeOf(page).getByText('Paused: the endpoint is disabled.').waitFor();
    await causeOf(page).getByRole('button', { name: 'Enable the endpoint' }).click();
    await causeOf(page).getByText('Next attempt').waitFor();
    expect((await emulator.control.getWebhook({ id: webhook.id })).disabled).toBe(false);
  });

  it('the delivery page probes a receiver that rejects the signature, and opens the signature', async () => {
    const { page } = await openDelivery({ status: 401, body: 'invalid signature' });
    const cause = causeOf(page);
    await cause.getByText('Your receiver returned 401. It says "invalid signature"').waitFor();
    await cause.getByRole('button', { name: 'Find the mistake' }).click();
    await cause.getByText(/uses a secret that svc does not know/).waitFor();
    await cause.getByRole('button', { name: 'Open the signature' }).click();
    await page.getByRole('tabpanel', { name: 'Signature' }).waitFor();
  });

  it('the delivery page marks what a receiver verifies instead of what was signed, for each delivery that it explains', async () => {
    const { page, emulator, receiver, webhook, id } = await openDelivery(401);
    receiver.respond(({ headers, body }) => {
      const digest = createHmac('sha256', webhook.secret).update(String(body)).digest('hex');
      return headers['service-signature'] === `v1=${digest}` ? 200 : 401;
    });
    await emulator.control.probeDelivery({ id });
    await page.reload();
    const cause = causeOf(page);
    await cause.getByText(/The receiver makes one mistake: the signed string was "\{body\}"/).waitFor();
    await expect.poll(() => cause.locator('mark').count()).toBe(2);
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

  it('the delivery page shows every attempt and the scheduled retries in the timeline', async () => {
    const { page, advance, emulator, id } = await openDelivery([500, 302, 503, 200, 200]);
    await advance(35 * MINUTE_MS);
    await headingOf(page, 3, 3).waitFor();
    const labels = () =>
      attemptsOf(page).evaluateAll((all) =>
        all.map((link) => link.querySelector('title')?.textContent?.replace(/(, \w+ \d+)?, [\d:]+$/, '')),
      );
    await expect.poll(labels).toEqual(['Attempt 1: 500', 'Attempt 2: 302', 'Attempt 3: 503']);
    expect(await timelineOf(page).locator('[data-state="due"]').count()).toBe(4);
    expect(await timelineOf(page).locator('[data-state="due"][stroke-dasharray]').count()).toBe(3);
    for (const width of [360, 768, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      for (const mark of await timelineOf(page).locator('.timeline :is(a, g)').all()) {
        const { x = -1, width: size = 0 } = (await mark.boundingBox()) ?? {};
        expect(x).toBeGreaterThanOrEqual(0);
        expect(x + size).toBeLessThanOrEqual(width);
      }
    }
    await emulator.control.replayDelivery({ id });
    await headingOf(page, 4, 4).waitFor();
    await expect.poll(labels).toContain('Attempt 3: 503, Attempt 4: 200');
  });

  it('the delivery page keeps the selected attempt in the URL, and selects another in the timeline or next to its number', async () => {
    const { page, advance } = await openDelivery([500, 302, 503], { query: '?attempt=1' });
    await advance(35 * MINUTE_MS);
    await headingOf(page, 1, 3).waitFor();
    await attemptsOf(page).nth(1).click();
    await headingOf(page, 2, 3).waitFor();
    await expect.poll(() => page.url()).toContain('attempt=2');
    expect(await attemptsOf(page).nth(1).getAttribute('aria-current')).toBe('true');
    const [previous, next] = ['Previous attempt', 'Next attempt'].map((name) =>
      page.getByRole('button', { name }),
    );
    await next?.click();
    await headingOf(page, 3, 3).waitFor();
    expect(await next?.isDisabled()).toBe(true);
    await previous?.click();
    await previous?.click();
    await headingOf(page, 1, 3).waitFor();
    await page.reload();
    await headingOf(page, 1, 3).waitFor();
  });

  it('the delivery page shows the payload formatted and raw', async () => {
    const { page, receiver } = await openDelivery(200);
    const { headers, body } = await receiver.request(1);
    const request = page.getByRole('region', { name: 'Request' });
    const view = request.getByRole('textbox', { name: 'Payload' });
    await expect.poll(() => view.innerText()).toBe(JSON.stringify(JSON.parse(body.toString()), null, 2));
    await request.getByRole('button', { name: 'Raw' }).click();
    await expect.poll(() => view.innerText()).toBe(body.toString());
    await request.getByText(`${body.length} bytes`).waitFor();
    await request.getByText(/^Headers/).click();
    await request.getByText(`${headers['service-signature']}`, { exact: true }).waitFor();
  });

  it('the delivery page shows the response, decompressed, and says when it is truncated, binary or missing', async () => {
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    const responses = [
      { status: 500, headers, body: gzipSync('{"error":"zipped"}') },
      { status: 500, body: 'x'.repeat(200_000) },
      { status: 500, body: Buffer.from([0xff, 0xfe, 0x00]) },
      { drop: true },
    ];
    const { page, advance } = await openDelivery(responses);
    const panel = page.getByRole('tabpanel');
    await panel.getByText('"error": "zipped"').waitFor();
    await panel.getByText('18 bytes').waitFor();
    await advance(5 * MINUTE_MS);
    await panel.getByText('Only the first part of the body is stored').waitFor();
    await advance(30 * MINUTE_MS);
    await panel.getByText('Binary body (3 bytes, base64)').waitFor();
    await panel.getByText('//4A').waitFor();
    await advance(120 * MINUTE_MS);
    await panel.getByText('No response. ').waitFor();
  });

  it('an attempt shows its phases in one line', async () => {
    const { emulator, control, receiver, webhook, deliver } = await startDeliverySetup([503, 200]);
    await control.updateWebhook({ id: webhook.id, url: `http://localhost:${receiver.port}/hooks` });
    const { id } = await deliver();
    // Before the page opens, because an idle connection is closed after some seconds.
    await control.nextClock({});
    const page = await openDashboard(emulator, { hash: `/deliveries/${id}?attempt=1` });
    await page.getByText(/took .*: queued .*, DNS .*, connect .*, send .*, wait .*, receive /).waitFor();
    await page.getByRole('button', { name: 'Next attempt' }).click();
    await page.getByText(/queued .*, reused connection, send /).waitFor();
  });

  it('the delivery page compares an attempt with the last success', async () => {
    const { page, advance, emulator, receiver } = await openDelivery([503, 200]);
    const tab = page.getByRole('tab', { name: 'Compare with the last success' });
    await tab.click();
    const panel = page.getByRole('tabpanel');
    await panel.getByText('No other delivery of order.shipped has succeeded.').waitFor();
    await emulator.api('POST', '/events', { type: 'order.shipped', payload: { order: 'ord_2' } });
    await receiver.request(2);
    await advance(0);
    await page.getByRole('tab', { name: 'Response and payload' }).click();
    await tab.click();
    /** @param title the number of the attempt and its result */
    const changed = (part: string, title: string) =>
      panel
        .getByRole('region', { name: part, exact: true })
        .getByRole('textbox', { name: new RegExp(`^${part} of order\\.shipped, attempt ${title}`) })
        .locator('.cm-changedLine')
        .allTextContents();
    await expect.poll(() => changed('Payload', '1, 200')).toEqual(['      "order": "ord_2"']);
    await expect.poll(() => changed('Response', '1, 200')).toEqual(expect.arrayContaining(['200']));
    await expect.poll(() => changed('Response', '1, 503')).toEqual(expect.arrayContaining(['503']));
    await panel.getByRole('region', { name: 'Request headers' }).getByText('identical').waitFor();
  });

  it('the delivery page copies the request of the attempt as a curl command, and with its cause and response as Markdown, without the secret', async () => {
    const { page, receiver, webhook } = await openDelivery({ status: 503, body: 'down' });
    const { body } = await receiver.request(1);
    const copy = page.getByRole('button', { name: 'Copy as curl' });
    // The message disappears after 1.5 seconds, so the test looks for it before it clicks.
    await Promise.all([copy.getByRole('status').getByText('Copied').waitFor(), copy.click()]);
    await expect.poll(() => clipboardOf(page)).toContain(`--data-raw '${body}'`);
    await page.getByRole('button', { name: 'Copy as Markdown' }).click();
    await expect
      .poll(() => clipboardOf(page))
      .toMatch(/^# order\.shipped: failing\n.*Your receiver returned 503\./s);
    const markdown = await clipboardOf(page);
    expect(markdown).toMatch(
      /## Request\n\n```\nPOST .*"order": "ord_1".*## Response\n\n```\nHTTP 503\n.*\ndown\n```\n$/s,
    );
    expect(markdown).not.toContain(webhook.secret);
  });
});
