/** Replaces `src/platform/timers.ts` through `vi.mock`. It calls the current global timers, so that fake timers also apply to the emulator. */
export const setTimeout = (callback: () => void, ms?: number) => globalThis.setTimeout(callback, ms);
export const clearTimeout = (timer?: NodeJS.Timeout) => globalThis.clearTimeout(timer);
export const setInterval = (callback: () => void, ms?: number) => globalThis.setInterval(callback, ms);
export const clearInterval = (timer?: NodeJS.Timeout) => globalThis.clearInterval(timer);
export const setImmediate = (callback: () => void) => globalThis.setImmediate(callback);
export const clearImmediate = (immediate?: NodeJS.Immediate) => globalThis.clearImmediate(immediate);
/** Real time, as in the real file. */
export const monotonic = performance.now.bind(performance);

export const SLICE_MS = 8;
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => globalThis.setImmediate(resolve));
}

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
