// Without its own copy, `require` would find version 13 in the folder above, which crashes on Node.js 20.
const { version } = require('better-sqlite3/package.json');
if (!version.startsWith('12.')) throw new Error('better-sqlite3 12 is not installed. Run: npm ci');
module.exports = require('better-sqlite3');
