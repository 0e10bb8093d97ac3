/** The live stream that the tabs of a browser share. */
import type { Page, Request } from 'playwright-core';
import { expect, it } from 'vitest';
import { describeInBrowser, openDashboard, setHidden } from '../support/browser.ts';
import type { TestEmulator } from '../support/test-emulator.ts';
import { openEmulator, rowsOf, trigger, typesOf } from './delivery-list.ts';

/** With HTTP/1.1, a browser opens only six connections to one host. */
const MANY = 8;

/** Opens tabs of one browser. */
async function openTabs(emulator: TestEmulator, count: number) {
  const first = await openDashboard(emulator);
  await first.getByText('sandbox').waitFor();
  const streams = followStreamRequests(first);
  const tabs = [first];
  for (let number = 2; number <= count; number++)
    tabs.push(await openDashboard(emulator, { besides: first }));
  return { tabs, streams };
}

/** The requests for the live stream from now on, of all tabs of the browser that shows `page`. */
function followStreamRequests(page: Page): { readonly opened: Request[]; readonly closed: Request[] } {
  const streams = { opened: [] as Request[], closed: [] as Request[] };
  const record = (requests: Request[]) => (request: Request) => {
    if (request.url().includes('/_svc/stream')) requests.push(request);
  };
  page.context().on('request', record(streams.opened));
  page.context().on('requestfailed', record(streams.closed));
  return streams;
}

/** Requests the stream only when the page calls `openStream`. */
const HOLD_STREAM = `
  const isReleased = new Promise((resolve) => { window.openStream = resolve; });
  const send = window.fetch;
  window.fetch = async (url, init) => {
    if (String(url).includes('/_svc/stream')) await isReleased;
    return send(url, init);
  };
`;

describeInBrowser('the live stream', () => {
  it('eight tabs of one browser show new deliveries through one stream', async () => {
    const emulator = await openEmulator();
    const { tabs, streams } = await openTabs(emulator, MANY);
    for (const tab of tabs) await tab.getByText('sandbox').waitFor();
    await trigger(emulator, 1);
    for (const tab of tabs) await expect.poll(() => typesOf(tab)).toEqual(['order.shipped']);
    expect(streams.opened).toEqual([]);
  });

  it('another tab takes over the stream without losing a delivery when the tab that holds it closes', async () => {
    const emulator = await openEmulator();
    const { tabs, streams } = await openTabs(emulator, 3);
    const [first, ...others] = tabs;
    await trigger(emulator, 1, 'made.before');
    for (const tab of tabs) await expect.poll(() => typesOf(tab)).toEqual(['made.before']);
    await Promise.all([first?.close(), trigger(emulator, 20, 'made.meanwhile')]);
    await trigger(emulator, 1, 'made.after');
    for (const tab of others) {
      await expect.poll(() => typesOf(tab).then((types) => types[0])).toBe('made.after');
      expect((await typesOf(tab)).sort()).toEqual([
        'made.after',
        'made.before',
        ...Array.from({ length: 20 }, () => 'made.meanwhile'),
      ]);
    }
    expect(streams.opened.length).toBe(1);
  });

  it('a page that loads its data before the stream is open shows the changes in between', async () => {
    const emulator = await openEmulator();
    const page = await openDashboard(emulator, { initScript: HOLD_STREAM });
    await page.getByText('No deliveries yet').waitFor();
    await trigger(emulator, 1, 'made.meanwhile');
    await page.evaluate('openStream()');
    await expect.poll(() => typesOf(page)).toEqual(['made.meanwhile']);
  });

  it('a hidden tab releases the stream and catches up when it is visible again', async () => {
    const emulator = await openEmulator();
    const { tabs, streams } = await openTabs(emulator, 1);
    const [tab] = tabs as [Page];
    await setHidden(tab, true);
    await expect.poll(() => streams.closed.length).toBe(1);
    await trigger(emulator, 2, 'made.meanwhile');
    expect(await rowsOf(tab).count()).toBe(0);
    await setHidden(tab, false);
    await expect.poll(() => typesOf(tab)).toEqual(['made.meanwhile', 'made.meanwhile']);
    expect(streams.opened.length).toBe(1);
  });

  it('a tab loads its data again when a tab that was opened later continues the stream after a gap', async () => {
    const emulator = await openEmulator();
    const { tabs } = await openTabs(emulator, 1);
    const [old] = tabs as [Page];
    await setHidden(old, true);
    await trigger(emulator, 1, 'made.meanwhile');
    const newer = await openDashboard(emulator, { besides: old });
    await rowsOf(newer).getByText('made.meanwhile').waitFor();
    await trigger(emulator, 1, 'made.after');
    await expect.poll(() => typesOf(old)).toEqual(['made.after', 'made.meanwhile']);
  });

  it('tabs that show different workspaces share the stream', async () => {
    const emulator = await openEmulator();
    const { id } = await emulator.control.createWorkspace({ name: 'Second' });
    await emulator.control.createWebhook({ workspace_id: id, url: 'http://127.0.0.1:9/' });
    const { tabs, streams } = await openTabs(emulator, 2);
    const [first, second] = tabs as [Page, Page];
    await second.getByLabel('Workspace').selectOption('Second');
    await second.getByText('No deliveries yet').waitFor();
    const { key } = await emulator.control.createKey({ scopes: ['events:write'], workspace_id: id });
    await emulator.api('POST', '/events', { type: 'made.second' }, { authorization: `Bearer ${key}` });
    await trigger(emulator, 1, 'made.first');
    await expect.poll(() => typesOf(first)).toEqual(['made.first']);
    await expect.poll(() => typesOf(second)).toEqual(['made.second']);
    expect(streams.opened).toEqual([]);
  });

  it('each visible tab has its own stream where the browser has no Web Locks', async () => {
    const emulator = await openEmulator();
    const first = await openDashboard(emulator);
    await first.getByText('sandbox').waitFor();
    const streams = followStreamRequests(first);
    const second = await openDashboard(emulator, {
      besides: first,
      // As on a page from http://192.168.1.5, which is not a secure context.
      initScript: `Object.defineProperty(navigator, 'locks', { value: undefined })`,
    });
    await second.getByText('sandbox').waitFor();
    await expect.poll(() => streams.opened.length).toBe(1);
    await trigger(emulator, 1);
    await expect.poll(() => typesOf(first)).toEqual(['order.shipped']);
    await expect.poll(() => typesOf(second)).toEqual(['order.shipped']);
    await setHidden(second, true);
    await expect.poll(() => streams.closed.length).toBe(1);
  });
});
