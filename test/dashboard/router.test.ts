/** The router of the page. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createHistory } from './fake-browser.ts';

async function startRouter(url: string) {
  const browser = createHistory(url);
  vi.resetModules();
  const router = await import('../../src/dashboard/router.ts');
  return { ...browser, ...router };
}

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
    navigate({ section: 'requests' });
    navigate({ section: 'events' });
    expect(route.value.section).toBe('events');
    await followLink('#/requests');
    expect(route.value.section).toBe('requests');
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
    await followLink('#/requests');
    ids.push(getEntryId());
    expect(route.value.section).toBe('requests');
    expect(new Set(ids).size).toBe(3);
    await back();
    await back();
    expect(getEntryId()).toBe(ids[0]);
    await forward();
    await forward();
    expect(getEntryId()).toBe(ids[2]);
  });
});
