// In the place of the global timers in what is bundled: those of Jest replace the globals, see src/timers.ts.
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
