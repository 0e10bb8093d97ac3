/** In the place of `src/timers.ts`, by `vi.mock`: the timers of now, so that fake time passes for the emulator as well. */
export const setTimeout = (callback: () => void, ms?: number) => globalThis.setTimeout(callback, ms);
export const clearTimeout = (timer?: NodeJS.Timeout) => globalThis.clearTimeout(timer);
export const setInterval = (callback: () => void, ms?: number) => globalThis.setInterval(callback, ms);
export const clearInterval = (timer?: NodeJS.Timeout) => globalThis.clearInterval(timer);
export const setImmediate = (callback: () => void) => globalThis.setImmediate(callback);
export const clearImmediate = (immediate?: NodeJS.Immediate) => globalThis.clearImmediate(immediate);
export const queueMicrotask = (task: () => void) => globalThis.queueMicrotask(task);
/** That of load, as it is in the real file: what is measured stays real. */
export const monotonic = performance.now.bind(performance);

/** The fake ones are meant. */
export const areTimersFake = false;
