/** The entry of the npm package's `svc` command: starts the command line with the code that V8 compiled at an earlier start. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listCodeCacheFolders, openCodeCache } from './code-cache.ts';
import { createModuleLoader } from './module-loader.ts';

/** Changes with the modules of the command line. Defined by the build. */
declare const __SVC_MODULES_HASH__: string;

const folder = import.meta.dirname;
const version = `${__SVC_MODULES_HASH__}-${process.arch}-${process.version}`;
const cache = openCodeCache(version, listCodeCacheFolders(process.env));
if (cache !== null) process.on('exit', () => cache.write());

createModuleLoader({
  folder,
  find: (path) => readFileSync(join(folder, path), 'utf8'),
  findCodeCache: (path) => cache?.find(path) ?? null,
  importModule: (id) => import(id),
  onCompiled(path, script) {
    if (script.cachedDataRejected !== false) cache?.add(path, script);
  },
})('./program/cli.cjs');
