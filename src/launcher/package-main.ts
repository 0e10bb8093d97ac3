/** The entry of the npm package's `svc` command: starts the command line with the code that V8 compiled at an earlier start. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { VERSION } from '../package-info.ts';
import { listCodeCacheFolders, openCodeCache } from './code-cache.ts';
import { createModuleLoader } from './module-loader.ts';

const folder = import.meta.dirname;
const cache = openCodeCache(VERSION, listCodeCacheFolders());
if (cache !== null) process.on('exit', () => cache.write());

createModuleLoader({
  folder,
  find(path) {
    const file = join(folder, path);
    return existsSync(file) ? readFileSync(file, 'utf8') : null;
  },
  findCodeCache: (path, source) => cache?.find(path, source) ?? null,
  importModule: (id) => import(id),
  onCompiled(path, source, script) {
    if (script.cachedDataRejected !== false) cache?.add(path, source, script);
  },
})('./program/cli.cjs');
