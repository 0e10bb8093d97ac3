/** Rejects files and folders that another user can change, like `safe.directory` of git. */
import { realpathSync, statSync } from 'node:fs';
import { delimiter, isAbsolute, relative, sep } from 'node:path';
import { SvcError } from '../domain/errors.ts';
import { quoteForShell } from '../domain/shell.ts';

/** Folders that the user trusts regardless of their owner, separated as in `PATH`; `*` trusts every folder. No file can set it. */
const TRUST_VARIABLE = 'SVC_TRUST_FOLDERS';

export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

const ROOT = 0;
// Bits of the mode of a file or folder.
const GROUP_WRITABLE = 0o020;
const OTHERS_WRITABLE = 0o002;

/**
 * Checks that each path belongs to the user who runs svc or to root and that nobody else can write to it. Does nothing on Windows,
 * where files have no uid.
 * @param projectFolder the folder that the user can name in `SVC_TRUST_FOLDERS` to allow it
 * @throws SvcError `untrusted_file`
 */
export function assertTrusted(
  paths: readonly string[],
  projectFolder: string,
  env: EnvironmentVariables,
): void {
  for (const path of paths) {
    const problem = findTrustProblem(path);
    if (problem === null || isTrusted(path, env)) continue;
    throw new SvcError('untrusted_file', `${path} is not used: ${problem}.`, {
      hint: `Let only your user own and change it, or set ${TRUST_VARIABLE}=${quoteForShell(projectFolder)} if you trust everyone who can change it.`,
    });
  }
}

/** Why another user can change a file or folder; null if none can. Root can change everything anyway. */
function findTrustProblem(path: string): string | null {
  const user = process.geteuid?.();
  const { uid, gid, mode } = statSync(path);
  if (user === undefined) return null;
  if (uid !== ROOT && uid !== user) return `it belongs to user ${uid}, but svc runs as user ${user}`;
  // Systems that give each user a group of their own, with the same ID, let it write to new files.
  const writableByOthers = gid === uid ? OTHERS_WRITABLE : OTHERS_WRITABLE | GROUP_WRITABLE;
  return mode & writableByOthers ? `others can write to it (mode ${(mode & 0o7777).toString(8)})` : null;
}

/** Whether every user can create files in a folder, as in `/tmp`, and the user has not allowed it. */
export function isOpenToAll(folder: string, env: EnvironmentVariables): boolean {
  if (process.geteuid === undefined) return false;
  const stats = statSync(folder, { throwIfNoEntry: false });
  return stats !== undefined && (stats.mode & OTHERS_WRITABLE) !== 0 && !isTrusted(folder, env);
}

/** Whether the user has named the folder of a path in `SVC_TRUST_FOLDERS`. A relative path there would name every project. */
export function isTrusted(path: string, env: EnvironmentVariables): boolean {
  const entries = (env[TRUST_VARIABLE] ?? '').split(delimiter);
  return entries.some((entry) => entry === '*' || (isAbsolute(entry) && isInside(path, entry)));
}

/** Whether `path` is `folder` or below it, by their real locations. */
export function isInside(path: string, folder: string): boolean {
  const relativePath = relative(toRealPath(folder), toRealPath(path));
  return relativePath !== '..' && !relativePath.startsWith(`..${sep}`) && !isAbsolute(relativePath);
}

function toRealPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
