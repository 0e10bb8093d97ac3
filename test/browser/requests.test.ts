/** The request log, the request page and request faults. */
import { expect, it } from 'vitest';
import { expectAccessible, expectAccessibleAt } from '../support/accessibility.ts';
import { describeInBrowser, type OpenOptions, openDashboard } from '../support/browser.ts';
import { startEmulator } from './open-emulator.ts';

async function start(openOptions: OpenOptions = {}) {
  const emulator = await startEmulator();
  const page = await openDashboard(emulator, { hash: '/requests', ...openOptions });
  const rows = page.locator('li > a').filter({ hasText: '/v1' });
  return { emulator, page, rows };
}

describeInBrowser('the request log', () => {
  it('the empty request log copies a curl command with the API key, which the page does not show', async () => {
    const { emulator, page } = await start();
    const { api_key: key, base_url: url } = emulator.status();
    const first = page.getByRole('region', { name: 'First request' });
    await first.getByRole('heading', { name: 'No requests yet' }).waitFor();
    await first.getByText(`curl ${url}/events`).waitFor();
    expect(await page.content()).not.toContain(key);
    await expectAccessibleAt(page, [360, 768, 1280]);
    // 1280 by 800 pixels at 200 % zoom.
    await expectAccessibleAt(page, [640], 400);
    await first.getByRole('button', { name: 'Copy command' }).click();
    const command = [
      `curl ${url}/events`,
      `-H 'Authorization: Bearer ${key}'`,
      "-H 'Content-Type: application/json'",
      `--data-raw '{"type":"order.shipped","payload":{"order_id":"ord_1"}}'`,
    ];
    await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe(command.join(' \\\n  '));
  });

  it('the request log does not keep the rows in memory that newer ones replace', async () => {
    const { emulator, page, rows } = await start();
    const session = await page.context().newCDPSession(page);
    const countNodesAfter = async (steps: readonly number[]) => {
      for (const step of steps) {
        await Promise.all(Array.from({ length: 50 }, () => emulator.api('GET', '/events')));
        await emulator.api('GET', `/events/${step}`);
        // In steps, so that some rows stay from one to the next.
        await rows.first().getByText(`GET /v1/events/${step}`).waitFor();
      }
      await session.send('HeapProfiler.collectGarbage');
      return (await session.send('Memory.getDOMCounters')).nodes;
    };
    // The list has 200 rows.
    const nodes = await countNodesAfter([1, 2, 3, 4]);
    expect(await countNodesAfter([5, 6])).toBeLessThan(nodes * 1.2);
  });

  it('the request log links a request to its effects and explains its error', async () => {
    const { emulator, page, rows } = await start();
    const { json: event } = await emulator.api('POST', '/events', { type: 'order.shipped' });
    await emulator.api('GET', `/events/${event.id}`);
    await emulator.api('POST', '/events', { type: 'Order Shipped' });
    await expect.poll(() => rows.count()).toBe(3);
    await page.getByRole('link', { name: 'POST /v1/events' }).first().click();
    await page.getByText('A field of the body is missing or invalid').waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => page.url()).toMatch(/#\/requests$/);
    await rows.last().click();
    await page.getByRole('region', { name: 'Deliveries' }).getByText('No deliveries.').waitFor();
    await page.getByRole('link', { name: 'all requests for this resource' }).click();
    await expect.poll(() => rows.count()).toBe(2);
    await rows.last().click();
    await page
      .getByRole('article', { name: 'Request' })
      .getByRole('link', { name: event.id })
      .first()
      .click();
    await page.getByRole('heading', { name: 'order.shipped' }).waitFor();
    await page.getByRole('link', { name: 'All requests for this event' }).click();
    await page.getByRole('button', { name: `Remove filter: Resource ${event.id}` }).waitFor();
  });

  it('the request page shows the error message, the client, the key, and the headers and bodies, and copies the request without the API key', async () => {
    const { emulator, page, rows } = await start();
    const headers = { 'user-agent': 'shop/1.2', 'x-trace': 'abc' };
    await emulator.api(
      'POST',
      '/events',
      { type: 'Order Shipped', payload: { note: '<b>bold</b>' } },
      headers,
    );
    await rows.first().click();
    const error = page.getByRole('region', { name: 'Error' });
    await error.getByText('type must have the form <noun>.<verb>').waitFor();
    await page.getByText('shop/1.2', { exact: true }).first().waitFor();
    await page.getByRole('link', { name: 'Default key' }).waitFor();
    const request = page.getByRole('region', { name: 'Request', exact: true });
    await request.getByText('"<b>bold</b>"').first().waitFor();
    await request.getByText(/^Headers \(\d+\)$/).click();
    await request.getByText('abc', { exact: true }).waitFor();
    const last4 = emulator.status().api_key.slice(-4);
    await request.getByText(`Bearer svc_test_…${last4}`, { exact: true }).waitFor();
    await page.getByRole('region', { name: 'Response' }).getByText('"validation_failed"').first().waitFor();
    await expect.poll(() => page.content()).not.toContain(emulator.status().api_key);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Copy as curl' }).click();
    await expect
      .poll(() => page.evaluate('navigator.clipboard.readText()'))
      .toMatch(/"Authorization: Bearer \$SVC_API_KEY"[\s\S]*--data-raw '\{"type":"Order Shipped",.*\}'$/);
    await emulator.api('POST', '/events', { type: 'order.shipped' }, { authorization: 'Bearer x' });
    await rows.getByText('401 POST /v1/events').click();
    await page
      .getByText('The curl command does not send the same request, because its body was not read.')
      .waitFor();
  });

  it('the request log filters by a class of statuses with one click, by key and by a text in the path', async () => {
    const { emulator, page, rows } = await start({ hash: '/requests?text=x', width: 1920 });
    const ignored = 'The text filter "x" is ignored. This list has no such filter.';
    await page.getByRole('alert').getByText(ignored).waitFor();
    const { key } = await emulator.control.createKey({ name: 'Reader', scopes: ['events:read'] });
    await emulator.api('GET', '/events?limit=3');
    await emulator.api('POST', '/events', { type: 'a.b' }, { authorization: `Bearer ${key}` });
    await expect.poll(() => rows.count()).toBe(2);
    await page.getByRole('button', { name: '4xx' }).click();
    await expect.poll(() => rows.count()).toBe(1);
    await expect.poll(() => page.url()).toContain('status=4xx');
    await page.getByRole('button', { name: '5xx' }).click();
    const nothing = page.getByText('No requests match these filters.');
    await nothing.waitFor();
    await expectAccessibleAt(page, [360]);
    await nothing.getByRole('button', { name: 'Clear filters' }).click();
    await expect.poll(() => rows.count()).toBe(2);
    await page.reload();
    await page.getByRole('button', { name: 'Filters', exact: true }).click();
    await page.getByRole('combobox', { name: 'API key' }).selectOption('Reader');
    await expect.poll(() => rows.count()).toBe(1);
    await page.getByRole('combobox', { name: 'API key' }).selectOption('any');
    await page.getByRole('searchbox', { name: 'Path' }).fill('limit=');
    await expect.poll(() => rows.count()).toBe(1);
    await rows.getByText('limit=3').waitFor();
  });

  it('the request log shows a dropped request as a failure', async () => {
    const { emulator, page, rows } = await start();
    await emulator.control.addFault({ on: 'request', drop: 'before', count: 1 });
    await expect(emulator.api('GET', '/events')).rejects.toThrow();
    await rows.getByRole('img', { name: 'failed' }).waitFor();
    await rows.getByText('dropped GET /v1/events').click();
    await page.getByRole('heading', { name: 'GET /v1/events' }).waitFor();
    await page.getByText('✗ dropped').waitFor();
    expect(await page.getByText('✓').count()).toBe(0);
  });

  it('the request log adds and removes request faults', async () => {
    const { emulator, page, rows } = await start({ expectedErrors: /422/ });
    await page.getByRole('button', { name: 'Faults' }).click();
    const dialog = page.getByRole('dialog', { name: 'Request faults' });
    await dialog.getByText('No faults.').waitFor();
    await dialog.getByLabel('Response status').fill('200');
    await dialog.getByRole('button', { name: 'Add fault' }).click();
    await dialog.getByText('Must be a whole number from 400 to 599, not 200').waitFor();
    await dialog.getByLabel('Response status').fill('');
    await dialog.getByRole('button', { name: 'Add fault' }).click();
    await dialog.getByText('Is required unless the fault has a latency or drops the request').waitFor();
    await dialog.getByLabel('Response status').fill('503');
    await dialog.getByLabel('Error code').fill('busy');
    await dialog.getByLabel('Method').fill('GET');
    await dialog.getByLabel('Count').fill('1');
    await dialog.getByRole('button', { name: 'Add fault' }).click();
    await dialog.getByText('status 503 busy').waitFor();
    await expectAccessible(page);
    expect((await emulator.api('GET', '/events')).status).toBe(503);
    // The fault is used up.
    await dialog.getByText('No faults.').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await rows.getByRole('img', { name: 'injected fault: status' }).waitFor();
    await page.getByRole('button', { name: 'Faults', exact: true }).waitFor();
    await rows.first().click();
    await page.getByText('comes from an injected fault').waitFor();
  });
});
