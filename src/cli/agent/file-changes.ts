/** Changes of several files: shows them as a diff, and writes all of them or none. */
import {
  lstatSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { createReadError } from '../../config/read-data-file.ts';
import { createFolder } from '../../create-folder.ts';
import { collapseEqual, diffLines } from '../../domain/line-diff.ts';
import { createWriteError } from '../file-access.ts';
import type { TerminalCapabilities } from '../process-context.ts';
import { styleFor } from '../render/style.ts';

export interface FileChange {
  readonly path: string;
  /** Empty if the file does not exist. */
  readonly before: string;
  /** Empty to delete the file. */
  readonly after: string;
}

/** The text of a file; empty if it does not exist. @throws SvcError `usage` if it cannot be read */
export function readOptionalFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw createReadError(path, error);
  }
}

const CONTEXT_LINES = 3;

/** The changed lines with a few lines around them. */
export function renderChange(
  { path, before, after }: FileChange,
  capabilities: TerminalCapabilities,
): string {
  const { bold, dim, green, red } = styleFor(capabilities);
  const action = before === '' ? 'create' : after === '' ? 'delete' : 'change';
  const lines = collapseEqual(diffLines(before, after), CONTEXT_LINES).flatMap((row) => {
    if (row.kind === 'collapsed') return [dim(`  … ${row.count} lines`)];
    if (row.kind === 'same') return [`  ${row.left}`];
    return [
      ...(row.left === null ? [] : [red(`- ${row.left}`)]),
      ...(row.right === null ? [] : [green(`+ ${row.right}`)]),
    ];
  });
  return [`${action} ${bold(path)}`, ...lines].join('\n');
}

/**
 * Writes all new files next to the old ones, and then replaces those. A symbolic link stays, and its target changes.
 * @throws SvcError `usage` if a file cannot be written; no file has changed then, unless a replacement fails
 */
export function applyChanges(changes: readonly FileChange[]): void {
  const written: { readonly temporaryPath: string; readonly target: string }[] = [];
  const targets = changes.map((change) => ({ ...change, target: findTarget(change.path) }));
  try {
    for (const { target, after } of targets) {
      if (after === '') continue;
      createFolder(dirname(target));
      const temporaryPath = `${target}.${process.pid}.part`;
      const mode = statSync(target, { throwIfNoEntry: false })?.mode;
      written.push({ temporaryPath, target });
      writeFileSync(temporaryPath, after, mode === undefined ? {} : { mode });
    }
    for (const { temporaryPath, target } of written) renameSync(temporaryPath, target);
    for (const { target, after } of targets) if (after === '') removeFile(target);
  } catch (error) {
    for (const { temporaryPath } of written) rmSync(temporaryPath, { force: true });
    throw createWriteError(changes[0]?.path ?? '', error, 'Check the permissions of the files and folders.');
  }
}

/** The file that a path leads to. */
function findTarget(path: string): string {
  return lstatSync(path, { throwIfNoEntry: false }) === undefined ? path : realpathSync(path);
}

/** Removes a file, and its folder if it is then empty. */
function removeFile(path: string): void {
  rmSync(path);
  try {
    rmdirSync(dirname(path));
  } catch {
    // Other files are in the folder.
  }
}
