/** The view, the editor and the comparison of text and JSON. */
import { expect, it } from 'vitest';
import { expectAccessibleAt } from '../support/accessibility.ts';
import { describeInBrowser, expectFocused, openDashboard } from '../support/browser.ts';
import { startEmulator, startReceiver } from './open-emulator.ts';

/** Opens the page of an event. @param payload JSON text */
async function openEvent(payload: string) {
  const emulator = await startEmulator();
  const { json } = await emulator.api('POST', '/events', `{"type":"order.shipped","payload":${payload}}`);
  const page = await openDashboard(emulator, { hash: `/events/${json.id}` });
  const view = page.getByRole('textbox', { name: 'Payload' });
  await view.waitFor();
  return { page, view, emulator, event: json };
}

describeInBrowser('the view of JSON', () => {
  it('the view of JSON folds an object, shows numbers as they were written, is read-only, and its keys run no shortcuts of the page', async () => {
    const { page, view, event } = await openEvent('{"items":[{"sku":"tea","price":12.50}],"note":"last"}');
    await view.getByText('"price": 12.50').waitFor();
    await page.getByTitle('Fold line').nth(2).click();
    await expect.poll(() => view.getByText('12.50').count()).toBe(0);
    await view.getByText('"note": "last"').waitFor();
    await view.getByTitle('unfold').click();
    await view.getByText('12.50').waitFor();
    for (const key of ['x', 'j', 'k', 'n', 't', '?', '/']) await view.press(key);
    expect(await view.innerText()).toMatch(/^\{\n {2}"items"/);
    expect(await view.getAttribute('aria-readonly')).toBe('true');
    await expect.poll(() => page.url()).toContain(`#/events/${event.id}`);
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  it('the view of JSON shows plain text if it cannot be loaded', async () => {
    const emulator = await startEmulator();
    const body = '{"type":"order.shipped","payload":{"sku":"tea"}}';
    const { json } = await emulator.api('POST', '/events', body);
    const page = await openDashboard(emulator, { hash: '/requests', expectedErrors: /ERR_FAILED/ });
    const refused = page.waitForEvent('requestfailed');
    await page.route('**/code-mirror-*.js', (route) => route.abort());
    await page.evaluate(`location.hash = '/events/${json.id}'`);
    await refused;
    await page.getByText('"sku": "tea"').waitFor();
  });

  it('the view of JSON finds text with Ctrl+F and with its button, runs no shortcuts of the page meanwhile, and has the focus again after Escape', async () => {
    const items = Array.from({ length: 20 }, (_, number) => ({
      id: `item_${number}`,
      text: 'x'.repeat(200),
    }));
    const { page, view, event } = await openEvent(JSON.stringify({ items }));
    await view.press('Control+f');
    const field = page.getByRole('textbox', { name: 'Find' });
    await expectFocused(field);
    await field.pressSequentially('Item_19');
    await field.press('Enter');
    await expect.poll(() => page.locator('.cm-searchMatch-selected').allTextContents()).toEqual(['item_19']);
    expect(page.url()).toContain(`#/events/${event.id}`);
    expect(await page.getByRole('dialog').count()).toBe(0);
    await field.press('Escape');
    await expectFocused(view);
    await expect.poll(() => field.count()).toBe(0);
    await page.getByRole('button', { name: 'Find', exact: true }).click();
    await expectFocused(field);
    await field.pressSequentially('text');
    await page.getByTitle('Fold line').nth(2).click();
    await expect.poll(() => page.locator('.cm-searchMatch').count()).toBeGreaterThan(1);
    await expectAccessibleAt(page, [360, 1280]);
  });
});

const INVISIBLE = 'a\u200b\u202e\u2066\u{e0068}b';
const ESCAPED = 'a\\u200b\\u202e\\u2066\\udb40\\udc68b';

describeInBrowser('invisible and bidirectional characters', () => {
  it('invisible and bidirectional characters in JSON are shown as escapes in the view, the editor and the comparison [output.other-surfaces]', async () => {
    const { page, view, emulator, event } = await openEvent(`{"note":"${INVISIBLE}"}`);
    await view.getByText(`"note": "${ESCAPED}"`).waitFor();
    const receiver = await startReceiver(200);
    await emulator.control.createWebhook({ url: receiver.url });
    for (const note of [INVISIBLE, 'other'])
      await emulator.api('POST', '/events', { type: 'order.shipped', payload: { note } });
    await receiver.waitFor(2);
    await emulator.control.advanceClock({ ms: 0 });
    const [, invisible] = (await emulator.control.listDeliveries({})).data;
    await page.goto(`${page.url().split('#')[0]}#/deliveries/${invisible?.id}`);
    await page.getByRole('tab', { name: 'Compare with the last success' }).click();
    await page
      .getByRole('textbox', { name: /^Payload of / })
      .last()
      .getByText(ESCAPED)
      .waitFor();
    await page.goto(`${page.url().split('#')[0]}#/trigger?event=${event.id}`);
    const editor = page.getByRole('textbox', { name: 'Payload' });
    await editor.getByText(ESCAPED).waitFor();
    expect(await page.getByRole('main').innerText()).not.toMatch(/\p{Cf}/u);
    // The text itself is not changed.
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await expect.poll(async () => (await emulator.control.listEvents({})).data.length).toBe(4);
    const [sent] = (await emulator.control.listEvents({ limit: 1 })).data;
    expect((await emulator.control.getEvent({ id: sent?.id ?? '' })).payload).toEqual({ note: INVISIBLE });
  });
});

describeInBrowser('the editor of JSON', () => {
  it('the editor of JSON says where an error is and underlines it, and resets and formats the text', async () => {
    const emulator = await startEmulator();
    const page = await openDashboard(emulator, { hash: '/trigger?type=pets.fed' });
    const editor = page.getByRole('textbox', { name: 'Payload' });
    await editor.fill('{\n  "a": 1,\n}');
    await page.getByText('Line 3, column 1: Unexpected }.').waitFor();
    await expect.poll(() => page.locator('.cm-lintRange-error').allTextContents()).toEqual(['}']);
    await expect.poll(() => page.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Reset' }).click();
    await expect.poll(() => editor.innerText()).toBe('{}');
    await editor.fill('{"n":1.50,"a":[]}');
    await page.getByRole('button', { name: 'Format' }).click();
    await expect.poll(() => editor.innerText()).toBe('{\n  "n": 1.50,\n  "a": []\n}');
    for (const _ of ['Format', 'fill']) await editor.press('Control+z');
    await expect.poll(() => editor.innerText()).toBe('{}');
  });
});
