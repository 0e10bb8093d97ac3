/** Rejects files and folders that another user controls, like `safe.directory` of git. */
import { lstatSync, realpathSync, type Stats, statSync } from 'node:fs';
import { delimiter, isAbsolute, relative, sep } from 'node:path';
import { quoteForShell } from '../domain/shell.ts';
import { SvcError } from '../errors.ts';

/** Folders that the user trusts regardless of their owner, separated as in `PATH`; `*` trusts every folder. No file can set it. */
const TRUST_VARIABLE = 'SVC_TRUST_FOLDERS';

export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

const ROOT = 0;
// Bits of the mode of a file or folder.
const GROUP_WRITABLE = 0o020;
const OTHERS_WRITABLE = 0o002;
const STICKY = 0o1000;

/**
 * Checks that each path belongs to the user who runs svc or to root and that nobody else can write to it. Under sudo, files of
 * the user who called it are allowed too. For a symbolic link, both the link and its target are checked. Does nothing on Windows,
 * where files have no uid.
 * @param projectFolder the folder that the user can name in `SVC_TRUST_FOLDERS` to allow it
 * @throws SvcError `untrusted_file`, including for a FIFO or a device; `usage` if the variable has an entry that is not an absolute path
 */
export function assertTrusted(
  paths: readonly string[],
  projectFolder: string,
  env: EnvironmentVariables,
): void {
  const user = process.geteuid?.();
  if (user === undefined) return;
  const owners = [user, ...(user === 0 && /^\d+$/.test(env.SUDO_UID ?? '') ? [Number(env.SUDO_UID)] : [])];
  for (const path of paths) {
    const target = statSync(path);
    // Opening a FIFO waits for its other end, and no signal can interrupt that.
    if (!target.isFile() && !target.isDirectory()) {
      throw new SvcError('untrusted_file', `${path} is not used: it is neither a file nor a folder.`, {
        hint: { text: 'Remove it', command: `rm ${quoteForShell(path)}` },
      });
    }
    const problem = findTrustProblem(lstatSync(path), owners) ?? findTrustProblem(target, owners);
    if (problem === null || isTrusted(path, env)) continue;
    throw new SvcError('untrusted_file', `${path} is not used: ${problem}.`, {
      hint: `${describeRepair(path, owners)} ${TRUST_VARIABLE}=${quoteForShell(projectFolder)} if you trust everyone who can change it.`,
    });
  }
}

/** The start of the hint. It never suggests changing the mode of a folder such as `/tmp` or the owner of a file. */
function describeRepair(path: string, owners: readonly number[]): string {
  const { uid, mode } = statSync(path);
  if (uid !== ROOT && !owners.includes(uid)) return 'Set';
  if (mode & STICKY) return 'Move the project to a folder of your own, or set';
  return `Run chmod go-w ${quoteForShell(path)}, or set`;
}

/** Whether every user can create files in a folder, as in `/tmp`, and the user has not allowed it. */
export function isOpenToAll(folder: string, env: EnvironmentVariables): boolean {
  if (process.geteuid === undefined) return false;
  const stats = statSync(folder, { throwIfNoEntry: false });
  return stats !== undefined && (stats.mode & OTHERS_WRITABLE) !== 0 && !isTrusted(folder, env);
}

/**
 * Why another user can change a file or folder; null if none can. Root can change everything anyway.
 * @param owners the user who runs svc and, under sudo, the user who called it
 */
export function findTrustProblem(stats: Stats, owners: readonly number[]): string | null {
  const { uid, gid, mode } = stats;
  if (uid !== ROOT && !owners.includes(uid)) {
    return `it belongs to user ${uid}, but svc runs as user ${owners.join(' on behalf of user ')}`;
  }
  // A symbolic link has no permissions of its own.
  if (stats.isSymbolicLink()) return null;
  const modeText = `mode ${(mode & 0o7777).toString(8)}`;
  if (mode & OTHERS_WRITABLE) return `every user can write to it (${modeText})`;
  // Systems that give each user a group of their own, with the same ID, let it write to new files.
  return mode & GROUP_WRITABLE && gid !== uid ? `group ${gid} can write to it (${modeText})` : null;
}

/** Whether the user has named the folder of a path in `SVC_TRUST_FOLDERS`. */
export function isTrusted(path: string, env: EnvironmentVariables): boolean {
  const entries = (env[TRUST_VARIABLE] ?? '').split(delimiter).filter((entry) => entry !== '');
  return entries.some((entry) => {
    if (entry === '*') return true;
    if (!isAbsolute(entry)) {
      throw new SvcError(
        'usage',
        `${TRUST_VARIABLE} contains ${JSON.stringify(entry)}, which is not an absolute path.`,
        { hint: `Write absolute paths separated by ${JSON.stringify(delimiter)}, or "*".` },
      );
    }
    return isInside(path, entry);
  });
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
