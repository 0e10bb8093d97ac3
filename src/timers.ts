/**
 * The timers of Node.js as they were when this was loaded. A test runner that puts fake ones in their place stops the
 * time of the test, not that of an emulator in the same process: sending, committing and time limits go on.
 */
export const { setTimeout, clearTimeout, setInterval, clearInterval, setImmediate } = globalThis;

/** Milliseconds from a moment in the past on, however the clock of the machine is set. */
export const monotonic = performance.now.bind(performance);
