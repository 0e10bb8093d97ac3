/** The hook of a request, in a component without elements, which needs no DOM. */
import { type ComponentType, h, render } from 'preact';
import { act } from 'preact/test-utils';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Query } from '../../src/dashboard/use-query.ts';
import { loadPage, runAll } from './fake-browser.ts';

beforeEach(() => {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'],
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

interface Call {
  readonly id: string;
  readonly respond: (value: string) => Promise<void>;
  readonly fail: () => Promise<void>;
}

/** A page with one query for the resource `id`. */
async function openQuery(options: { readonly isLive?: boolean } = {}) {
  const page = await loadPage();
  const { send } = await import('../../src/dashboard/control.ts');
  const { useQuery } = await import('../../src/dashboard/use-query.ts');
  const calls: Call[] = [];
  const root = {} as HTMLElement;
  let current: Query<string> | undefined;
  /** Each value that was rendered. */
  const shown: (string | undefined)[] = [];
  const View: ComponentType<{ readonly id: string }> = ({ id }) => {
    const fetch = () =>
      new Promise<string>((resolve, reject) => {
        calls.push({
          id,
          respond: (value) => runAll(() => resolve(value)),
          fail: () => runAll(() => reject(new Error('no response'))),
        });
      });
    current = useQuery(fetch, [id], options);
    shown.push(current.value);
    return null;
  };
  const show = (id: string) => act(() => render(h(View, { id }), root));
  void show('a');
  return {
    ...page,
    send,
    calls,
    shown,
    show,
    close: () => act(() => render(null, root)),
    refetch: () => act(() => current?.refetch()),
    state: () => [current?.value, current?.error],
  };
}

describe('the requests of a query', () => {
  it('a query has no value until the first response, and keeps it during and after a failed refetch', async () => {
    const { calls, state, refetch } = await openQuery();
    expect(state()).toEqual([undefined, null]);
    await calls[0]?.respond('first');
    expect(state()).toEqual(['first', null]);
    refetch();
    expect(state()).toEqual(['first', null]);
    await calls[1]?.fail();
    expect(state()).toEqual(['first', 'Error: no response']);
    refetch();
    await calls[2]?.respond('second');
    expect(state()).toEqual(['second', null]);
  });

  it('only the response to the latest request is used, whatever order they arrive in', async () => {
    const { calls, state, refetch } = await openQuery();
    refetch();
    refetch();
    await calls[2]?.respond('latest');
    await calls[0]?.respond('oldest');
    await calls[1]?.fail();
    expect(state()).toEqual(['latest', null]);
  });

  it('the value of another resource is never shown, not even when its response arrives late', async () => {
    const { calls, state, show, shown } = await openQuery();
    await calls[0]?.respond('value of a');
    shown.length = 0;
    show('b');
    expect(calls.map(({ id }) => id)).toEqual(['a', 'b']);
    expect(state()).toEqual([undefined, null]);
    show('a');
    await calls[1]?.respond('value of b');
    expect(state()).toEqual([undefined, null]);
    await calls[2]?.respond('new value of a');
    expect(state()).toEqual(['new value of a', null]);
    expect(shown).not.toContain('value of b');
    show('a');
    expect(calls.length).toBe(3);
  });

  it('a closed query ignores its response, and requests nothing', async () => {
    const { calls, close, shown, pass } = await openQuery({ isLive: true });
    close();
    await calls[0]?.respond('late');
    await pass(10_000);
    expect(calls.length).toBe(1);
    expect(shown).not.toContain('late');
  });
});

describe('the refetches of a query', () => {
  it('a query of live data refetches each second, but not while a request is in progress', async () => {
    const { calls, pass } = await openQuery({ isLive: true });
    await pass(5_000);
    expect(calls.length).toBe(1);
    await calls[0]?.respond('first');
    await pass(999);
    expect(calls.length).toBe(1);
    await pass(1);
    expect(calls.length).toBe(2);
    await pass(5_000);
    expect(calls.length).toBe(2);
  });

  it.each([
    ['refetches soon', '/v1/events', 2],
    ['does not refetch', '/_svc/deliveries/wait', 1],
  ])('a query of live data %s after POST %s', async (_, path, count) => {
    const { calls, pass, send } = await openQuery({ isLive: true });
    await calls[0]?.respond('first');
    vi.stubGlobal('fetch', async () => new Response());
    await send({ method: 'POST', url: new URL(path, 'http://localhost') });
    await pass(50);
    expect(calls.length).toBe(count);
  });

  it('a query of live data refetches each ten seconds while the page is hidden', async () => {
    const { calls, pass, setHidden } = await openQuery({ isLive: true });
    await calls[0]?.respond('first');
    setHidden(true);
    await pass(9_999);
    expect(calls.length).toBe(1);
    await pass(1);
    expect(calls.length).toBe(2);
  });

  it('the same data are not rendered again', async () => {
    const { calls, pass, shown } = await openQuery({ isLive: true });
    await calls[0]?.respond('first');
    const { length } = shown;
    await pass(1_000);
    await calls[1]?.respond('first');
    expect(shown.length).toBe(length);
  });

  it('a restored connection refetches once, because another emulator may run at the address', async () => {
    const { calls, pass, setConnected } = await openQuery();
    await calls[0]?.respond('first');
    await setConnected(false);
    await pass(60_000);
    expect(calls.length).toBe(1);
    await setConnected(true);
    expect(calls.length).toBe(2);
  });

  it('a query of data that cannot change requests nothing again on its own', async () => {
    const { calls, pass } = await openQuery();
    await calls[0]?.respond('first');
    await pass(60_000);
    expect(calls.length).toBe(1);
  });
});
