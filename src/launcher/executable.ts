/** Gives the modules of the single executable access to its assets: modules, their code cache, files and the native addon. */
import { constants, Script } from 'node:vm';
import type { Executable } from '../package-files.ts';
import { createModuleLoader } from './module-loader.ts';

/** The assets by key. `scripts/build-binary.mjs` writes them. */
export interface Assets {
  readonly keys: readonly string[];
  read(key: string): Buffer;
}

const MODULES = 'modules/';
const CODE_CACHE = 'code-cache/';
const FILES = 'files/';
const ADDON = 'addon/';

/** Loads the configuration files of users. `import()` in the program itself would find only modules of Node.js. */
const importModule: (id: string) => Promise<unknown> = new Script('(id) => import(id)', {
  importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
}).runInThisContext();

/** @param onCompiled is called after a module was compiled, before it runs */
export function createExecutable(
  { keys, read }: Assets,
  onCompiled?: (path: string, source: string, script: Script) => void,
): Executable {
  const find = (key: string) => (keys.includes(key) ? read(key) : null);
  const executable: Executable = {
    paths: keys.filter((key) => key.startsWith(FILES)).map((key) => key.slice(FILES.length)),
    read: (path) => read(`${FILES}${path}`),
    require: createModuleLoader({
      folder: null,
      find: (path) => find(`${MODULES}${path}`)?.toString('utf8') ?? null,
      findCodeCache: (path) => find(`${CODE_CACHE}${path}`),
      importModule,
      getExecutable: () => executable,
      ...(onCompiled && { onCompiled }),
    }),
    readAddon() {
      const key = keys.find((name) => name.startsWith(ADDON));
      if (key === undefined) throw new Error('This executable contains no SQLite driver.');
      return { name: key.slice(ADDON.length), bytes: read(key) };
    },
  };
  return executable;
}
