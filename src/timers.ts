import type * as nodeTimers from 'node:timers';

interface BuiltinModules {
  (id: 'node:timers'): typeof nodeTimers;
  (id: 'node:perf_hooks'): { readonly performance: { now(): number } };
}

// Not `import`: a browser loads this too, and `svc-emulator/signature` is to load `node:crypto` alone.
const getModule = (globalThis as { process?: { getBuiltinModule?: BuiltinModules } }).process
  ?.getBuiltinModule;
const source = getModule?.('node:timers') ?? globalThis;

/**
 * The timers of Node.js as they were when this was loaded, taken from its modules: Jest replaces the globals only, often
 * before anything is loaded. Fake timers stop the time of the test, not that of an emulator in the same process: sending,
 * committing and time limits continue. Packages that are bundled have them too, see scripts/module-timers.cjs.
 */
export const { setTimeout, clearTimeout, setInterval, clearInterval, setImmediate, clearImmediate } = source;

/** No module of Node.js has this one, and Jest replaces the global; promises are never replaced. */
export function queueMicrotask(task: () => void): void {
  void Promise.resolve().then(task);
}

/**
 * Whether the timers of the modules had been replaced before this was loaded (node:test and @sinonjs/fake-timers do that);
 * what waits for them would never continue. Timers of Node.js have a promise form, and those of Sinon a `clock`.
 */
export const areTimersFake =
  getModule !== undefined &&
  (!(Symbol.for('nodejs.util.promisify.custom') in setTimeout) || 'clock' in setTimeout);

const { performance } = getModule?.('node:perf_hooks') ?? globalThis;

/** Milliseconds since a time in the past; it never goes back, whatever the clock of the machine does. */
export const monotonic = performance.now.bind(performance);

/**
 * A signal that aborts after `ms`, and until then keeps no process alive. Not `AbortSignal.timeout`: what
 * `AbortSignal.any` is given of that, Node.js 20 takes for garbage and forgets, and it never aborts.
 */
export function abortAfter(ms: number): AbortSignal {
  const timing = new AbortController();
  const timeout = () => timing.abort(new DOMException('It took too long.', 'TimeoutError'));
  setTimeout(timeout, ms).unref();
  return timing.signal;
}
