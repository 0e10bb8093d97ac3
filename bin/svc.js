#!/usr/bin/env node
// Uses only old syntax, so that every version of Node.js can read this file and print which version svc needs.

var needed = [20, 19];
var running = process.versions.node.split('.').map(Number);

// The exit code of an internal error, as in src/domain/errors.ts.
var internalError = 70;

if (running[0] < needed[0] || (running[0] === needed[0] && running[1] < needed[1])) {
  process.stderr.write(
    'svc needs Node.js ' +
      needed.join('.') +
      ' or later; this is ' +
      process.versions.node +
      ' (' +
      process.execPath +
      ').\n' +
      'Install a current version from https://nodejs.org, or with your version manager: nvm install 22\n',
  );
  process.exit(internalError);
}

try {
  require('../dist/start.js');
} catch (error) {
  // The first line names the missing file, the others those that require it.
  if (error && error.code === 'MODULE_NOT_FOUND' && /^.*dist[/\\]start\.js/.test(error.message)) {
    process.stderr.write('svc is not built yet. In a clone of the repository run: npm run build\n');
    process.exit(internalError);
  }
  throw error;
}
