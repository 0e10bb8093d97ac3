/** A browser without a DOM, for the modules of the page: its history and its timers. */
import { act } from 'preact/test-utils';
import { onTestFinished, vi } from 'vitest';
import type { Emulator } from '../../src/emulator.ts';

interface Entry {
  url: string;
  state: unknown;
}

/** A history of a browser with one entry. `back` and links take effect later, as in a browser. */
export function createHistory(firstUrl: string) {
  const entries: Entry[] = [{ url: new URL(firstUrl, 'http://localhost/').href, state: null }];
  const listeners = new Set<() => void>();
  let index = 0;
  const current = () => entries[index] as Entry;
  const resolve = (url: string) => new URL(url, current().url).href;
  const push = (state: unknown, url: string) => {
    entries.splice(index + 1, Number.POSITIVE_INFINITY, { state, url: resolve(url) });
    index++;
  };
  const arrive = async (move: () => void) => {
    await Promise.resolve();
    move();
    for (const listener of [...listeners]) listener();
  };
  vi.stubGlobal('addEventListener', (_: 'popstate', listener: () => void) => listeners.add(listener));
  vi.stubGlobal('removeEventListener', (_: 'popstate', listener: () => void) => listeners.delete(listener));
  vi.stubGlobal('history', {
    get state() {
      return current().state;
    },
    pushState: (state: unknown, _: string, url = current().url) => push(state, url),
    replaceState: (state: unknown, _: string, url = current().url) =>
      Object.assign(current(), { state, url: resolve(url) }),
  });
  vi.stubGlobal('location', {
    get href() {
      return current().url;
    },
    get hash() {
      return new URL(current().url).hash;
    },
    get search() {
      return new URL(current().url).search;
    },
    get pathname() {
      return new URL(current().url).pathname;
    },
    get origin() {
      return new URL(current().url).origin;
    },
  });
  return {
    back: () => arrive(() => void index--),
    forward: () => arrive(() => void index++),
    followLink: (hash: string) => arrive(() => push(null, hash)),
    urls: () => entries.map(({ url }) => url.replace('http://localhost', '')),
  };
}

/** Runs `callback` and then what waits for its promises. */
export const runAll = (callback: () => void) =>
  act(async () => {
    callback();
    await new Promise((resolve) => setImmediate(resolve));
  });

/** Loads the modules of the page of an emulator, which ends with the test. */
export async function loadPageOf(emulator: Emulator): Promise<void> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval'] });
  onTestFinished(() => void [vi.useRealTimers(), vi.unstubAllGlobals()]);
  await loadPage(emulator.status().url);
}

/** Loads the modules of a page that is connected. */
export async function loadPage(origin = '') {
  const history = createHistory(`${origin}/#/deliveries`);
  const document = { hidden: false, addEventListener: () => {} };
  vi.stubGlobal('document', document);
  vi.stubGlobal('window', globalThis);
  vi.resetModules();
  const { isConnected, startPolling } = await import('../../src/dashboard/control.ts');
  startPolling();
  isConnected.value = true;
  return {
    ...history,
    setConnected: (isUp: boolean | null) =>
      act(() => {
        isConnected.value = isUp;
      }),
    setHidden: (isHidden: boolean) => {
      document.hidden = isHidden;
    },
    /** Lets `ms` of the fake timers pass. */
    pass: (ms: number) =>
      act(async () => {
        await vi.advanceTimersByTimeAsync(ms);
      }),
  };
}
