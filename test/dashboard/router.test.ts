/** The router of the page. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createHistory } from './fake-browser.ts';

async function startRouter(url: string) {
  const browser = createHistory(url);
  vi.resetModules();
  const router = await import('../../src/dashboard/router.ts');
  return { ...browser, ...router };
}

/** Waits until the history has gone back. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

afterEach(() => vi.unstubAllGlobals());

describe('the router', () => {
  it('the route and the workspace of the first page come from its address', async () => {
    const { route, addressWorkspaceId } = await startRouter('/?ws=ws_1#/events/evt_1?type=a.b');
    expect(route.value).toEqual({ section: 'events', id: 'evt_1', query: { type: 'a.b' } });
    expect(addressWorkspaceId.value).toBe('ws_1');
  });

  it('navigate adds an entry with the route and keeps the workspace, and Back shows the previous page', async () => {
    const { navigate, route, urls, back, addressWorkspaceId } = await startRouter('/page?ws=ws_1#/events');
    navigate({ section: 'deliveries', query: { status: 'failed' } });
    expect(route.value).toMatchObject({ section: 'deliveries', query: { status: 'failed' } });
    expect(urls()).toEqual(['/page?ws=ws_1#/events', '/page?ws=ws_1#/deliveries?status=failed']);
    navigate({ section: 'events' }, 'ws_2');
    expect(addressWorkspaceId.value).toBe('ws_2');
    navigate({ section: 'events' }, null);
    expect(urls().slice(2)).toEqual(['/page?ws=ws_2#/events', '/page#/events']);
    await back();
    expect(addressWorkspaceId.value).toBe('ws_2');
    await back();
    expect([route.value.section, addressWorkspaceId.value]).toEqual(['deliveries', 'ws_1']);
  });

  it('the first page is shown again when its address is opened from another one', async () => {
    const { navigate, followLink, route } = await startRouter('/#/events');
    navigate({ section: 'webhooks' });
    navigate({ section: 'events' });
    expect(route.value.section).toBe('events');
    await followLink('#/webhooks');
    expect(route.value.section).toBe('webhooks');
  });

  it('the route changes only when the address changes', async () => {
    const { navigate, route } = await startRouter('/#/events');
    const before = route.value;
    navigate({ section: 'events' });
    expect(route.value).toBe(before);
  });

  it('replaceRoute and updateQuery change the entry itself', async () => {
    const { replaceRoute, updateQuery, route, urls, getEntryId } = await startRouter('/#/events?type=a.b');
    const entryId = getEntryId();
    updateQuery({ status: 'failed' });
    expect(route.value.query).toEqual({ type: 'a.b', status: 'failed' });
    updateQuery({ type: '' });
    expect(urls()).toEqual(['/#/events?status=failed']);
    replaceRoute({ section: 'webhooks', id: 'wh_1' }, 'ws_2');
    expect(urls()).toEqual(['/?ws=ws_2#/webhooks/wh_1']);
    expect(getEntryId()).toBe(entryId);
  });

  it('each entry has its own ID, also that of a link, and the same one after Back', async () => {
    const { navigate, followLink, back, forward, getEntryId, route } = await startRouter('/#/events');
    const ids = [getEntryId()];
    navigate({ section: 'deliveries' });
    ids.push(getEntryId());
    await followLink('#/webhooks');
    ids.push(getEntryId());
    expect(route.value.section).toBe('webhooks');
    expect(new Set(ids).size).toBe(3);
    await back();
    await back();
    expect(getEntryId()).toBe(ids[0]);
    await forward();
    await forward();
    expect(getEntryId()).toBe(ids[2]);
  });
});

describe('the entry of a dialog', () => {
  it('Back closes the dialog once, and shows the same page', async () => {
    const { addDialogEntry, back, forward, route, urls } = await startRouter('/#/events');
    const onBack = vi.fn();
    const close = addDialogEntry(onBack);
    expect(urls()).toEqual(['/#/events', '/#/events']);
    await back();
    expect(onBack).toHaveBeenCalledOnce();
    close();
    await forward();
    await back();
    expect(onBack).toHaveBeenCalledOnce();
    expect(route.value.section).toBe('events');
  });

  it('a closed dialog takes its entry back without calling onBack', async () => {
    const { addDialogEntry, position } = await startRouter('/#/events');
    const onBack = vi.fn();
    addDialogEntry(onBack)();
    await settle();
    expect([position(), onBack.mock.calls]).toEqual([0, []]);
  });

  it('onBack is called when another entry is shown, and not when the entry of the dialog is', async () => {
    const { addDialogEntry, followLink, back } = await startRouter('/#/events');
    const onBack = vi.fn();
    addDialogEntry(onBack);
    await followLink('#/webhooks');
    expect(onBack).toHaveBeenCalledOnce();
    await back();
    expect(onBack).toHaveBeenCalledOnce();
  });

  it('a navigation from a dialog replaces its entry, which is then a page', async () => {
    const { addDialogEntry, navigate, urls, state } = await startRouter('/#/events');
    const onBack = vi.fn();
    const close = addDialogEntry(onBack);
    navigate({ section: 'webhooks' });
    expect(urls()).toEqual(['/#/events', '/#/webhooks']);
    expect(state()).toMatchObject({ isDialog: false });
    close();
    await settle();
    expect(urls()).toEqual(['/#/events', '/#/webhooks']);
    navigate({ section: 'deliveries' });
    expect(urls()).toEqual(['/#/events', '/#/webhooks', '/#/deliveries']);
  });

  it('navigate and replaceRoute wait until the entry of a closed dialog is gone', async () => {
    const { addDialogEntry, navigate, replaceRoute, route, urls } = await startRouter('/#/events');
    const close = addDialogEntry(() => {});
    close();
    navigate({ section: 'webhooks' });
    replaceRoute({ section: 'webhooks', id: 'wh_1' });
    expect(route.value.section).toBe('events');
    await settle();
    expect(urls()).toEqual(['/#/events', '/#/webhooks/wh_1']);
    expect(route.value).toMatchObject({ section: 'webhooks', id: 'wh_1' });
    navigate({ section: 'deliveries' });
    expect(route.value.section).toBe('deliveries');
  });
});
