// The folder of better-sqlite3 that runs with this version of Node.js in a clone. src/store/driver.ts makes the same choice.
const { join } = require('node:path');

module.exports = join(
  __dirname,
  '..',
  Number(process.versions.napi) < 10 ? 'node_modules' : 'dist',
  'better-sqlite3',
);
