// Replaces these globals in bundled packages, because test runners replace them with fakes. A CommonJS module, because bundling
// src/platform/timers.ts into CommonJS packages would wrap it in a function. No module of Node.js exports `queueMicrotask`.
const timers = require('node:timers');
const { setTimeout, clearTimeout, setInterval, clearInterval, setImmediate, clearImmediate } = timers;
const queueMicrotask = (task) => void Promise.resolve().then(task);
module.exports = {
  ...{ setTimeout, clearTimeout, setInterval, clearInterval, setImmediate, clearImmediate },
  queueMicrotask,
};
