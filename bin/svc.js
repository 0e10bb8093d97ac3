#!/usr/bin/env node
// Runs on any Node, however old: it says clearly which one is needed before anything newer is parsed.

var needed = [20, 19];
var running = process.versions.node.split('.').map(Number);

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
  process.exit(70);
}

import('node:module')
  .then((nodeModule) => {
    // From Node.js 22.8 on. It obeys NODE_DISABLE_COMPILE_CACHE and NODE_COMPILE_CACHE by itself.
    if (nodeModule.enableCompileCache) nodeModule.enableCompileCache();
    return import('../dist/cli.js');
  })
  .catch((error) => {
    if (error && error.code === 'ERR_MODULE_NOT_FOUND' && /dist.cli\.js/.test(error.message)) {
      process.stderr.write('svc is not built yet. In a clone of the repository run: npm run build\n');
      process.exit(70);
    }
    throw error;
  });
