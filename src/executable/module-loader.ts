/** Loads CommonJS modules that are not files, with V8's code cache, so that they are not compiled each time. */
import { createRequire, isBuiltin } from 'node:module';
import { isAbsolute, posix } from 'node:path';
import { constants, Script } from 'node:vm';

export interface ModuleSource {
  /** The text of a module, such as `chunks/base.js`; null if it does not exist. */
  find(path: string): string | null;
  /** The result of `createCachedData` for the same text in the same version of Node.js; null to compile the module. */
  findCodeCache(path: string): Buffer | null;
}

interface LoaderOptions extends ModuleSource {
  /** A variable that all modules can use. */
  readonly globalName: string;
  getGlobal(): unknown;
  /** Is called after a module was compiled, before it runs. */
  onCompiled?(path: string, script: Script): void;
}

/**
 * Returns a function that loads a module by its path with a leading `./`, a bundled package by its name, an addon by its
 * absolute path, or a module of Node.js.
 */
export function createModuleLoader(options: LoaderOptions): (id: string) => unknown {
  const modules = new Map<string, { exports: unknown }>();
  // Finds modules of Node.js and absolute paths, so any path is correct.
  const requireFromNode = createRequire(process.execPath);

  const load = (path: string): unknown => {
    const loaded = modules.get(path);
    if (loaded !== undefined) return loaded.exports;
    const source = options.find(path);
    if (source === null) {
      throw Object.assign(new Error(`Cannot find module '${path}'`), { code: 'MODULE_NOT_FOUND' });
    }
    const module = { exports: {} as unknown };
    modules.set(path, module);
    try {
      if (path.endsWith('.json')) module.exports = JSON.parse(source);
      else run(path, source, module);
    } catch (error) {
      // The next call can succeed, as with files.
      modules.delete(path);
      throw error;
    }
    return module.exports;
  };

  const run = (path: string, source: string, module: { exports: unknown }): void => {
    const cachedData = options.findCodeCache(path) ?? undefined;
    const script = new Script(
      `(function (exports, require, module, __filename, __dirname, ${options.globalName}) {${source}\n})`,
      // With this loader, `import()` loads the configuration files of users.
      { filename: path, cachedData, importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER },
    );
    options.onCompiled?.(path, script);
    // `__dirname` is undefined, because the module is in no folder.
    script.runInThisContext()(
      module.exports,
      createRequireFor(posix.dirname(path)),
      module,
      process.execPath,
      undefined,
      options.getGlobal(),
    );
  };

  const createRequireFor = (folder: string) => (id: string) => {
    if (isBuiltin(id) || isAbsolute(id)) return requireFromNode(id);
    if (id.startsWith('.')) return load(posix.join(folder, id));
    return load(id.endsWith('.json') ? id : `${id}.js`);
  };

  return createRequireFor('.');
}
