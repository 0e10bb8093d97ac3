/** The run file `.svc/run.json`, with which the commands in a folder find its emulator. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SvcError } from '../domain/errors.ts';
import { isHttpUrl } from '../domain/http-url.ts';
import { describeFileError } from '../domain/message-parts.ts';
import { quoteForShell } from '../domain/shell.ts';
import { PRIVATE_FILE, replaceFile } from '../platform/replace-file.ts';
import { listProjectFolders, type ProjectLocation } from './project-folders.ts';
import { assertTrusted, type EnvironmentVariables, isTrusted } from './trusted-path.ts';

const STATE_FOLDER = '.svc';
const RUN_FILE = 'run.json';
const IGNORE_FILE = '.gitignore';
const LOCK_FILE = 'emulator.lock';

export interface RunFile {
  readonly pid: number;
  readonly started_at: string;
  readonly control_url: string;
  readonly version: string;
  /** Path of the certificate that clients must trust. Missing if the usual authorities are enough. */
  readonly certificate?: string;
  /** Token of the control plane. Missing if none is required. */
  readonly control_token?: string | undefined;
}

/**
 * Creates the state folder of a project, with a `.gitignore`.
 * @returns its path.
 * @throws SvcError `usage` if it cannot be written; `untrusted_file` if it exists and another user can change it.
 */
export function createStateFolder(projectFolder: string, env: EnvironmentVariables): string {
  const folder = join(projectFolder, STATE_FOLDER);
  const ignoreFile = join(folder, IGNORE_FILE);
  if (existsSync(folder)) assertTrusted([folder], projectFolder, env);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o755 });
    if (!existsSync(ignoreFile)) writeFileSync(ignoreFile, '*\n');
  } catch (error) {
    throw new SvcError('usage', `Cannot use the folder ${folder}: ${describeFileError(error)}.`, {
      hint: 'Run the command in a writable folder on a disk with free space.',
      cause: error,
    });
  }
  return folder;
}

/** The file that an emulator locks from its start until it has closed its database. */
export function lockPathOf(projectFolder: string): string {
  return join(projectFolder, STATE_FOLDER, LOCK_FILE);
}

/** Removes the state folder if it contains only what every start creates. */
export function removeUnusedStateFolder(projectFolder: string): void {
  const folder = join(projectFolder, STATE_FOLDER);
  try {
    const isUnused = readdirSync(folder).every((name) => name === IGNORE_FILE || name === LOCK_FILE);
    if (isUnused) rmSync(folder, { recursive: true });
  } catch {
    // It stays. The error of the start is what matters.
  }
}

/**
 * Writes the run file of a project.
 * @throws SvcError `usage` if it cannot be written; `untrusted_file` as {@link createStateFolder}.
 */
export function createRunFile(projectFolder: string, run: RunFile, env: EnvironmentVariables): void {
  const { pid, started_at, control_url, version, certificate, control_token } = run;
  const path = join(createStateFolder(projectFolder, env), RUN_FILE);
  const content = { pid, started_at, control_url, version, certificate, control_token };
  try {
    replaceFile(path, `${JSON.stringify(content, null, 2)}\n`, PRIVATE_FILE);
  } catch (error) {
    throw new SvcError('usage', `Cannot write ${path}: ${describeFileError(error)}.`, { cause: error });
  }
}

/** Whether a running process is the one in the run file of a project. */
export function hasRunFile(projectFolder: string, pid: number): boolean {
  return readRun(join(projectFolder, STATE_FOLDER, RUN_FILE))?.pid === pid && isAlive(pid);
}

/** Removes the run file of a project, unless it belongs to another emulator now. */
export function removeRunFile(projectFolder: string, pid: number): void {
  const path = join(projectFolder, STATE_FOLDER, RUN_FILE);
  if (readRun(path)?.pid !== pid) return;
  try {
    rmSync(path);
  } catch {
    // The folder became read-only. Without its process, the run file does not count.
  }
}

/**
 * The run file of the project, whose root is the nearest folder that can have one. One without a running process does not count.
 * @throws SvcError `untrusted_file` if another user can change the run file.
 */
export function findRunFile(location: ProjectLocation): RunFile | null {
  return findOwnRunFile(findProjectRoot(location), location.env);
}

/** Like {@link findRunFile}, for one folder only. */
export function findOwnRunFile(folder: string, env: EnvironmentVariables): RunFile | null {
  const path = join(folder, STATE_FOLDER, RUN_FILE);
  if (!existsSync(path)) return null;
  assertTrusted([path, join(folder, STATE_FOLDER)], folder, env);
  // One from a checkout or an archive could contain any URL. Its mode shows that svc did not create it.
  const isPrivate = process.platform === 'win32' || (statSync(path).mode & 0o077) === 0;
  if (!isPrivate && !isTrusted(path, env)) {
    throw new SvcError(
      'untrusted_file',
      `${path} is not used: svc did not write it, or others can read it.`,
      {
        hint: { text: 'Remove it', command: `rm ${quoteForShell(path)}` },
      },
    );
  }
  const run = readRun(path);
  return run !== null && isAlive(run.pid) ? run : null;
}

/** The result of `find`; also null if another user can change the file. */
export function ignoreUntrusted(find: () => RunFile | null): RunFile | null {
  try {
    return find();
  } catch (error) {
    if (error instanceof SvcError && error.code === 'untrusted_file') return null;
    throw error;
  }
}

function findProjectRoot(location: ProjectLocation): string {
  return listProjectFolders(location).at(-1) ?? location.cwd;
}

function readRun(path: string): RunFile | null {
  try {
    const run = JSON.parse(readFileSync(path, 'utf8')) as Partial<RunFile> | null;
    const { pid = 0, control_url = '' } = run ?? {};
    return Number.isSafeInteger(pid) && pid > 0 && isHttpUrl(control_url) ? (run as RunFile) : null;
  } catch {
    return null;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Windows also refuses signals to an elevated process of the same user. Elsewhere, EPERM means another user's process.
    return process.platform === 'win32' && (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
