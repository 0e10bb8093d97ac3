/** Gives the modules of the single executable access to its assets: modules with their compiled code, files and the native addon. */
import { createRequire, isBuiltin } from 'node:module';
import { isAbsolute, posix } from 'node:path';
import { constants, Script } from 'node:vm';
import type { Executable } from '../package-files.ts';

/** The assets by key. `scripts/build-binary.mjs` writes them. */
export interface Assets {
  readonly keys: readonly string[];
  read(key: string): Buffer;
}

const MODULES = 'modules/';
const CODE = 'code/';
const FILES = 'files/';
const ADDON = 'addon/';

export function createExecutable({ keys, read }: Assets): Executable {
  const executable: Executable = {
    paths: keys.filter((key) => key.startsWith(FILES)).map((key) => key.slice(FILES.length)),
    read: (path) => read(`${FILES}${path}`),
    require: createRequireFor('.'),
    readAddon() {
      const key = keys.find((name) => name.startsWith(ADDON));
      if (key === undefined) throw new Error('This executable contains no SQLite driver.');
      return { name: key.slice(ADDON.length), bytes: read(key) };
    },
  };
  const modules = new Map<string, { exports: unknown }>();
  const requireFile = createRequire(process.execPath);

  /** A module by its relative path, a package by its name, an addon by its absolute path, or a module of Node.js. */
  function createRequireFor(folder: string) {
    return (id: string): unknown => {
      if (isBuiltin(id) || isAbsolute(id)) return requireFile(id);
      if (id.startsWith('.')) return load(posix.join(folder, id));
      return load(`${id}.js`);
    };
  }

  function load(path: string): unknown {
    const loaded = modules.get(path);
    if (loaded !== undefined) return loaded.exports;
    if (!keys.includes(MODULES + path)) {
      throw Object.assign(new Error(`Cannot find module '${path}'`), { code: 'MODULE_NOT_FOUND' });
    }
    const source = read(MODULES + path).toString('utf8');
    const module = { exports: {} as unknown };
    modules.set(path, module);
    try {
      const cachedData = keys.includes(CODE + path) ? read(CODE + path) : undefined;
      const run = compileModule(path, source, cachedData).runInThisContext();
      const requireModule = createRequireFor(posix.dirname(path));
      run(module.exports, requireModule, module, process.execPath, undefined, executable);
    } catch (error) {
      // The next call can succeed, as with files.
      modules.delete(path);
      throw error;
    }
    return module.exports;
  }

  return executable;
}

/** @param cachedData of `createCachedData` for the same source in the same version of Node.js */
export function compileModule(path: string, source: string, cachedData?: Buffer): Script {
  return new Script(
    `(function (exports, require, module, __filename, __dirname, __SVC_EXECUTABLE__) {${source}\n})`,
    {
      filename: path,
      cachedData,
      // For configuration files of users. By default, `import()` in the program would find only modules of Node.js.
      importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    },
  );
}
