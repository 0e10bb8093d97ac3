/** Original timers of Node.js, even under the fake timers of a test. */
import type * as nodeTimers from 'node:timers';

interface BuiltinModules {
  (id: 'node:timers'): typeof nodeTimers;
  (id: 'node:process'): { uptime(): number };
}

// Not an import: the dashboard loads this file in a browser, and `svc-emulator/signature` must load only `node:crypto`.
const getModule = (globalThis as { process?: { getBuiltinModule?: BuiltinModules } }).process
  ?.getBuiltinModule;
const originalTimers = getModule?.('node:timers') ?? globalThis;

/**
 * The original timers of Node.js, from its modules, because Jest replaces the globals before it loads anything. Fake timers
 * stop the time of a test but not of an emulator in the same process: deliveries, commits and time limits continue.
 * `scripts/bundle.mjs` gives the same timers to bundled packages.
 */
export const { setTimeout, clearTimeout, setInterval, clearInterval, setImmediate, clearImmediate } =
  originalTimers;

// Not `node:perf_hooks`: costly at startup.
const uptime = getModule?.('node:process').uptime;

/** Milliseconds since an arbitrary time; never decreases, even if the clock of the machine is set. */
export const monotonic: () => number =
  uptime === undefined ? performance.now.bind(performance) : () => uptime() * 1_000;

/** Resolves after `ms`, or when `signal` is aborted. */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const wake = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', wake);
      resolve();
    };
    const timer = setTimeout(wake, ms);
    signal.addEventListener('abort', wake);
    if (signal.aborted) wake();
  });
}

/** Lets other tasks of the event loop run. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
