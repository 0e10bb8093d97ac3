/** Loads CommonJS modules with V8's code cache, so that they are not compiled each time. */
import { createRequire, isBuiltin } from 'node:module';
import { dirname, isAbsolute, join, posix } from 'node:path';
import { Script } from 'node:vm';
import type { Executable } from '../package-files.ts';

interface LoaderOptions {
  /** The folder of the modules; null if they are not files, and all packages are among them. */
  readonly folder: string | null;
  /** The text of a module, such as `program/chunks/base.cjs`; null if it does not exist. */
  find(path: string): string | null;
  /** The result of `createCachedData` for the same text in the same version of Node.js; null to compile the module. */
  findCodeCache(path: string, source: string): Buffer | null;
  /** `import()` from a file. The build replaces `import()` with it, which Node.js 20 cannot find for code from a cache. */
  importModule(id: string): Promise<unknown>;
  /** The value of `__SVC_EXECUTABLE__` in all modules. */
  getExecutable?(): Executable;
  /** Is called after a module was compiled, before it runs. */
  onCompiled?(path: string, source: string, script: Script): void;
}

/**
 * Returns a function that loads a module by its path with a leading `./`, a package by its name, an addon by its absolute path,
 * or a module of Node.js.
 */
export function createModuleLoader(options: LoaderOptions): (id: string) => unknown {
  const modules = new Map<string, { exports: unknown }>();
  const toFile = (path: string) => (options.folder === null ? process.execPath : join(options.folder, path));
  // Finds modules of Node.js and, from a folder, packages.
  const requireOther = createRequire(toFile('.'));

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
    const cachedData = options.findCodeCache(path, source) ?? undefined;
    const file = toFile(path);
    const script = new Script(
      `(function (exports, require, module, __filename, __dirname, __SVC_IMPORT__, __SVC_EXECUTABLE__) {${source}\n})`,
      { filename: options.folder === null ? path : file, cachedData },
    );
    options.onCompiled?.(path, source, script);
    script.runInThisContext()(
      module.exports,
      createRequireFor(posix.dirname(path)),
      module,
      file,
      options.folder === null ? undefined : dirname(file),
      options.importModule,
      options.getExecutable?.(),
    );
  };

  const createRequireFor = (folder: string) => (id: string) => {
    if (isBuiltin(id) || isAbsolute(id)) return requireOther(id);
    if (id.startsWith('.')) return load(posix.join(folder, id));
    if (options.folder !== null) return requireOther(id);
    return load(id.endsWith('.json') ? id : `${id}.cjs`);
  };

  return createRequireFor('.');
}
