// Replaces the global timers in bundled packages, because Jest replaces the globals. See src/timers.ts.
const {
  setTimeout,
  clearTimeout,
  setInterval,
  clearInterval,
  setImmediate,
  clearImmediate,
} = require('node:timers');

module.exports = {
  setTimeout,
  clearTimeout,
  setInterval,
  clearInterval,
  setImmediate,
  clearImmediate,
  queueMicrotask: (task) => void Promise.resolve().then(task),
};
