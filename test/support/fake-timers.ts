/** Fake timers of a test that also apply to the emulator, which otherwise calls the original timers of Node.js. */
import { onTestFinished, vi } from 'vitest';
import * as timers from '../../src/platform/timers.ts';
import { replaceExports } from './replace-exports.ts';

/** Call the current global timers. `sleep` and `yieldToEventLoop` are repeated, because the originals call the original timers. */
const globalTimers = {
  setTimeout: (callback: () => void, ms?: number) => globalThis.setTimeout(callback, ms),
  clearTimeout: (timer?: NodeJS.Timeout) => globalThis.clearTimeout(timer),
  setInterval: (callback: () => void, ms?: number) => globalThis.setInterval(callback, ms),
  clearInterval: (timer?: NodeJS.Timeout) => globalThis.clearInterval(timer),
  setImmediate: (callback: () => void) => globalThis.setImmediate(callback),
  clearImmediate: (immediate?: NodeJS.Immediate) => globalThis.clearImmediate(immediate),
  yieldToEventLoop: () => new Promise((resolve) => globalThis.setImmediate(resolve)),
  sleep: (ms: number, signal: AbortSignal) =>
    new Promise<void>((resolve) => {
      const wake = () => {
        globalThis.clearTimeout(timer);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      const timer = globalThis.setTimeout(wake, ms);
      signal.addEventListener('abort', wake);
      if (signal.aborted) wake();
    }),
};

/** Replaces timers until the end of the test, as `vi.useFakeTimers` does, for the emulator too. */
export function useFakeTimers(options: Parameters<typeof vi.useFakeTimers>[0]): void {
  vi.useFakeTimers(options);
  onTestFinished(() => void vi.useRealTimers());
  replaceExports(timers, globalTimers as Partial<typeof timers>);
}
