/** Finds and reads the configuration file of a project. */
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { locateJsonError } from '../domain/json.ts';
import { SvcError } from '../errors.ts';
import { isObject } from '../profile/value-schema.ts';
import { listProjectFolders, type ProjectLocation } from './project-folders.ts';
import { assertTrusted } from './trusted-path.ts';

const FILE_NAMES = ['svc.config.json', 'svc.config.mjs', 'svc.config.ts'] as const;

/**
 * Path of the configuration file in the working folder, or in the nearest folder of the project above that has one;
 * null when none has.
 * @throws SvcError `untrusted_file` when another user can change it; `usage` when a folder has two.
 */
export function findConfigFile(location: ProjectLocation): string | null {
  for (const folder of listProjectFolders(location)) {
    const found = FILE_NAMES.map((name) => join(folder, name)).filter((path) => existsSync(path));
    const [path] = found;
    if (path === undefined) continue;
    for (const each of found)
      assertTrusted([each, folder, dirname(realpathSync(each))], folder, location.env);
    if (found.length === 1) return path;
    throw new SvcError('usage', `The folder has more than one configuration file: ${found.join(' and ')}.`, {
      hint: 'Delete all but one of them.',
    });
  }
  return null;
}

/** Whether reading a configuration file runs it. */
export function isModule(path: string): boolean {
  return extname(path) !== '.json';
}

/**
 * The content of a configuration file, not yet validated.
 * @throws SvcError `usage` when it cannot be read; for JSON with line and column.
 */
export async function readConfigFile(path: string): Promise<Readonly<Record<string, unknown>>> {
  const content = isModule(path) ? await importDefault(path) : readJsonFile(path);
  if (!isObject(content)) {
    throw unreadable(
      path,
      isModule(path) ? 'must have an object as its default export' : 'must contain an object',
    );
  }
  return content;
}

/** The content of a JSON file. @throws SvcError `usage` when it cannot be read, with line and column. */
export function readJsonFile(path: string): unknown {
  const text = readTextFile(path);
  try {
    return JSON.parse(text);
  } catch (error) {
    const { line, column } = locateJsonError(text);
    throw unreadable(path, `is not JSON at line ${line}, column ${column}`, error);
  }
}

export function readTextFile(path: string): string {
  try {
    return readFileSync(path, 'utf8').replace(/^\uFEFF/, '');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      throw new SvcError('usage', `There is no file ${path}.`, { cause: error });
    }
    throw unreadable(path, `cannot be read: ${(error as Error).message}`, error);
  }
}

async function importDefault(path: string): Promise<unknown> {
  if (extname(path) === '.ts' && !importsTypeScript(process.features)) {
    throw new SvcError(
      'usage',
      `${path} needs Node.js 22.18 or later, and this is Node.js ${process.versions.node}.`,
      {
        hint: 'Rename it to svc.config.mjs and remove the types, or use a newer Node.js.',
      },
    );
  }
  try {
    const module: unknown = await import(/* @vite-ignore */ pathToFileURL(path).href);
    return isObject(module) ? module.default : undefined;
  } catch (error) {
    throw unreadable(
      path,
      `cannot be loaded: ${error instanceof Error ? error.message : String(error)}`,
      error,
    );
  }
}

// Not in the types of Node.js 20: false, 'strip' or 'transform'.
function importsTypeScript(features: object): boolean {
  return 'typescript' in features && Boolean(features.typescript);
}

export function unreadable(path: string, problem: string, cause?: unknown): SvcError {
  return new SvcError('usage', `${path} ${problem}.`, { hint: `Correct ${path}, or remove it.`, cause });
}
