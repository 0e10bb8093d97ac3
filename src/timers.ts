/** Original timers of Node.js, even under the fake timers of a test. */
import type { setMaxListeners } from 'node:events';
import type * as nodeTimers from 'node:timers';

interface BuiltinModules {
  (id: 'node:timers'): typeof nodeTimers;
  (id: 'node:events'): { readonly setMaxListeners: typeof setMaxListeners };
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

/** Made from promises, which fake timers do not replace, because no module of Node.js exports it. */
export function queueMicrotask(task: () => void): void {
  void Promise.resolve().then(task);
}

/**
 * Whether the timers in the modules were already fake when this file was loaded, as with node:test and
 * @sinonjs/fake-timers: the emulator would wait forever. Real timers have a promise form; those of Sinon have a `clock`.
 */
export const areTimersFake =
  getModule !== undefined &&
  (!(Symbol.for('nodejs.util.promisify.custom') in setTimeout) || 'clock' in setTimeout);

// Not `node:perf_hooks`, which takes 0.6 ms to load.
const uptime = getModule?.('node:process').uptime;

/** Milliseconds since an arbitrary time; never decreases, even if the clock of the machine is set. */
export const monotonic: () => number =
  uptime === undefined ? performance.now.bind(performance) : () => uptime() * 1_000;

/**
 * A signal that aborts after `ms` and does not keep the process alive. Not `AbortSignal.timeout`, whose signal Node.js 20 can
 * garbage-collect before it aborts.
 */
export function abortAfter(ms: number): AbortSignal {
  const controller = new AbortController();
  const abort = () => controller.abort(new DOMException(`Timed out after ${ms} ms.`, 'TimeoutError'));
  // The timers of a browser have no `unref`.
  setTimeout(abort, ms).unref?.();
  return controller.signal;
}

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

/** Milliseconds that a long task works before it calls {@link yieldToEventLoop}. */
export const SLICE_MS = 8;

/** Lets other tasks of the event loop run. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/**
 * A controller that also aborts with the first of `signals`, for the same reason. Call `abort` at the end of the work: it also
 * removes the listeners. Not `AbortSignal.any`: in Node.js 20, its result stays in memory as long as the signal that lives
 * longest, such as that of the emulator.
 */
export function createLinkedController(signals: readonly AbortSignal[]): AbortController {
  const controller = new AbortController();
  // Any number of requests can listen to it. Node.js would warn about more than ten.
  getModule?.('node:events').setMaxListeners(0, controller.signal);
  for (const signal of signals) {
    const abort = () => controller.abort(signal.reason);
    signal.addEventListener('abort', abort, { signal: controller.signal });
    if (signal.aborted) abort();
  }
  return controller;
}

/** Yields the items, and aborts `controller` when the iteration ends, fails or is left. */
export async function* abortAtEnd<T>(
  items: AsyncIterable<T>,
  controller: AbortController,
): AsyncGenerator<T, undefined> {
  try {
    yield* items;
  } finally {
    controller.abort();
  }
}

/** Runs `task` with a signal that aborts with the first of `signals`, and at the end of the task. */
export async function withAnySignal<T>(
  signals: readonly AbortSignal[],
  task: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = createLinkedController(signals);
  try {
    return await task(controller.signal);
  } finally {
    controller.abort();
  }
}
