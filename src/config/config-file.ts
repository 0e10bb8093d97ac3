/** Finds and reads the configuration file of a project. */
import { existsSync } from 'node:fs';
import { extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { constants, Script } from 'node:vm';
import { SvcError } from '../domain/errors.ts';
import { isObject } from '../domain/json.ts';
import { createInvalidFileError, readJsonFile } from '../platform/read-data-file.ts';
import { listProjectFolders, type ProjectLocation } from './project-folders.ts';
import { assertTrusted } from './trusted-path.ts';

const FILE_NAMES = ['svc.config.json', 'svc.config.mjs', 'svc.config.ts'] as const;

/**
 * Path of the configuration file in the working folder, or in the nearest folder of the project above that has one;
 * null if none has.
 * @throws SvcError `untrusted_file` if another user can change it; `usage` if a folder has two
 */
export function findConfigFile(location: ProjectLocation): string | null {
  for (const folder of listProjectFolders(location)) {
    const paths = FILE_NAMES.map((name) => join(folder, name)).filter((path) => existsSync(path));
    const [firstPath] = paths;
    if (firstPath === undefined) continue;
    assertTrusted([...paths, folder], folder, location.env);
    if (paths.length === 1) return firstPath;
    throw new SvcError('usage', `The folder has more than one configuration file: ${paths.join(' and ')}.`, {
      hint: 'Delete all but one of them.',
    });
  }
  return null;
}

/** Whether the file is code (`.mjs`, `.ts`), which reading executes. */
export function isModule(path: string): boolean {
  return extname(path) !== '.json';
}

/**
 * Reads a configuration file. The values are not yet validated.
 * @throws SvcError `usage` if it cannot be read or is not JSON (with line and column)
 */
export async function readConfigFile(path: string): Promise<Readonly<Record<string, unknown>>> {
  const content = isModule(path) ? await importDefaultExport(path) : readJsonFile(path);
  if (isObject(content)) return content;
  throw createInvalidFileError(
    path,
    isModule(path) ? 'must have an object as its default export' : 'must contain an object',
  );
}

/** `import()` with the loader of Node.js: that of the single executable finds only modules of Node.js, and that of Jest needs a flag. */
function importFile(url: string): Promise<{ readonly default?: unknown }> {
  const importModuleDynamically = constants.USE_MAIN_CONTEXT_DEFAULT_LOADER;
  return new Script('(url) => import(url)', { importModuleDynamically }).runInThisContext()(url);
}

async function importDefaultExport(path: string): Promise<unknown> {
  // `process.features.typescript` is false, 'strip' or 'transform'. Node.js 20 and its types do not have it.
  const canImportTypeScript = 'typescript' in process.features && Boolean(process.features.typescript);
  if (extname(path) === '.ts' && !canImportTypeScript) {
    throw new SvcError(
      'usage',
      `${path} requires Node.js 22.18 or later, but this is Node.js ${process.versions.node}.`,
      { hint: 'Rename it to svc.config.mjs and remove the types, or use a newer Node.js.' },
    );
  }
  try {
    const module = await importFile(pathToFileURL(path).href);
    return module.default;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw createInvalidFileError(path, `cannot be loaded: ${message}`, error);
  }
}
