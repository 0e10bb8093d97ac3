/** The hook of a request, in a component without elements, which needs no DOM. */
import { type ComponentType, h, render } from 'preact';
import { act } from 'preact/test-utils';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { StreamItem } from '../../src/contract/stream-schemas.ts';
import type { Query } from '../../src/dashboard/use-query.ts';
import { loadPage, pass } from './fake-browser.ts';

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

const change = (sequence: number) => ({ type: 'delivery', sequence }) as StreamItem;

/** A page with one query for the resource `id`. Only stream items with an even sequence change its result. */
async function openQuery({
  followsStream = true,
  ...options
}: {
  readonly followsStream?: boolean;
  readonly isPolled?: boolean;
  readonly intervalMs?: number;
} = {}) {
  const page = await loadPage();
  const { useQuery } = await import('../../src/dashboard/use-query.ts');
  const calls: Call[] = [];
  const root = {} as HTMLElement;
  let current: Query<string> | undefined;
  /** Each value that was rendered. */
  const shown: (string | undefined)[] = [];
  const refetchOn = followsStream && { refetchOn: ({ sequence }: StreamItem) => sequence % 2 === 0 };
  const View: ComponentType<{ readonly id: string }> = ({ id }) => {
    const fetch = () =>
      new Promise<string>((resolve, reject) => {
        calls.push({
          id,
          respond: (value) => act(async () => resolve(value)),
          fail: () => act(async () => reject(new Error('no response'))),
        });
      });
    current = useQuery(fetch, [id], { ...refetchOn, ...options });
    shown.push(current.value);
    return null;
  };
  const show = (id: string) => act(() => render(h(View, { id }), root));
  void show('a');
  return {
    ...page,
    calls,
    shown,
    show,
    close: () => act(() => render(null, root)),
    refetch: () => act(() => current?.refetch()),
    state: () => [current?.value, current?.error],
    pass: (ms: number) => act(() => pass(ms)),
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
    const { calls, close, shown, receive, pass, setHidden } = await openQuery({ isPolled: true });
    setHidden(false);
    receive(change(2), change(4));
    receive(change(6));
    close();
    const { length } = calls;
    for (const call of calls) await call.respond('late');
    await pass(10_000);
    receive(change(8));
    expect(calls.length).toBe(length);
    expect(shown).not.toContain('late');
  });
});

describe('the refetches of a query', () => {
  it('a change of the result refetches at once, and then at most every 500 ms', async () => {
    const { calls, receive, pass } = await openQuery();
    receive(change(1), change(3));
    expect(calls.length).toBe(1);
    receive(change(3), change(4));
    expect(calls.length).toBe(2);
    receive(change(6));
    receive(change(8));
    await pass(499);
    expect(calls.length).toBe(2);
    await pass(1);
    expect(calls.length).toBe(3);
    receive(change(10));
    await pass(499);
    expect(calls.length).toBe(3);
    await pass(1);
    expect(calls.length).toBe(4);
    await pass(5_000);
    expect(calls.length).toBe(4);
    receive(change(12));
    expect(calls.length).toBe(5);
  });

  it('a single change refetches once', async () => {
    const { calls, receive, pass } = await openQuery();
    receive(change(2));
    await pass(5_000);
    expect(calls.length).toBe(2);
  });

  it('a query can refetch less often', async () => {
    const { calls, receive, pass } = await openQuery({ intervalMs: 2_000 });
    receive(change(2));
    receive(change(4));
    await pass(1_999);
    expect(calls.length).toBe(2);
    await pass(1);
    expect(calls.length).toBe(3);
  });

  it('a restored connection refetches once, because another emulator may run at the address', async () => {
    const { calls, setConnected } = await openQuery();
    setConnected(false);
    expect(calls.length).toBe(1);
    setConnected(true);
    expect(calls.length).toBe(2);
    setConnected(null);
    setConnected(true);
    expect(calls.length).toBe(2);
  });

  it('a polled query refetches every three seconds while the page is visible and connected', async () => {
    const { calls, pass, setHidden, setConnected } = await openQuery({ isPolled: true });
    await pass(3_000);
    expect(calls.length).toBe(1);
    setHidden(false);
    await pass(2_999);
    expect(calls.length).toBe(1);
    await pass(1);
    expect(calls.length).toBe(2);
    setConnected(false);
    await pass(6_000);
    expect(calls.length).toBe(2);
    setConnected(true);
    await pass(3_000);
    expect(calls.length).toBe(4);
  });

  it('a query that is not polled and does not follow the stream requests nothing again on its own', async () => {
    const { calls, pass, setHidden, receive } = await openQuery({ followsStream: false });
    setHidden(false);
    receive(change(2));
    await pass(60_000);
    expect(calls.length).toBe(1);
  });
});

it('a poll and a delayed call use the values of the last render', async () => {
  const { setHidden } = await loadPage();
  setHidden(false);
  const { usePolling, useThrottle } = await import('../../src/dashboard/use-query.ts');
  const log: string[] = [];
  let run = () => {};
  const View: ComponentType<{ readonly id: string }> = ({ id }) => {
    usePolling(() => log.push(`poll ${id}`));
    run = useThrottle(() => log.push(`run ${id}`), 1_000);
    return null;
  };
  const root = {} as HTMLElement;
  const show = (id: string) => act(() => render(h(View, { id }), root));
  void show('a');
  run();
  run();
  void show('b');
  await pass(3_000);
  expect(log).toEqual(['run a', 'run b', 'poll b']);
});
