/**
 * The timers of Node.js as they were when this was loaded. A test runner that puts fake ones in their place stops the
 * time of the test, not that of an emulator in the same process: sending, committing and time limits go on.
 */
export const { setTimeout, clearTimeout, setInterval, clearInterval, setImmediate } = globalThis;

/** Milliseconds from a moment in the past on, however the clock of the machine is set. */
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
