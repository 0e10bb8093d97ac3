/** The run file `.svc/run.json`, with which the commands in a folder find its emulator. */
import {
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { createFolder } from '../create-folder.ts';
import { isHttpUrl } from '../domain/http-url.ts';
import { describeFileError } from '../domain/message-parts.ts';
import { quoteForShell } from '../domain/shell.ts';
import { SvcError } from '../errors.ts';
import { writePrivateFile } from '../write-private-file.ts';
import { listFoldersAbove, listProjectFolders, type ProjectLocation } from './project-folders.ts';
import { assertTrusted, type EnvironmentVariables, isTrusted } from './trusted-path.ts';

export const STATE_FOLDER = '.svc';
const RUN_FILE = 'run.json';
const IGNORE_FILE = '.gitignore';
/** Locked while an emulator runs or starts. */
export const LOCK_FILE = 'emulator.lock';

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
  assertStateFolderTrusted(projectFolder, env);
  try {
    createFolder(folder, 0o755);
    if (!existsSync(ignoreFile)) writeFileSync(ignoreFile, '*\n');
  } catch (error) {
    throw new SvcError('usage', `Cannot use the folder ${folder}: ${describeFileError(error)}.`, {
      hint: 'Run the command in a writable folder on a disk with free space.',
      cause: error,
    });
  }
  return folder;
}

/** Removes a state folder that {@link createStateFolder} created for a start that failed, unless it has other files. */
export function removeStateFolder(projectFolder: string): void {
  const folder = join(projectFolder, STATE_FOLDER);
  try {
    for (const name of [IGNORE_FILE, LOCK_FILE]) rmSync(join(folder, name), { force: true });
    rmdirSync(folder);
  } catch {
    // For example, it contains the log of `--detach`.
  }
}

/**
 * Also refuses links, FIFOs and devices in the folder: a checkout can contain links to files of the user, which svc would
 * overwrite, and opening a FIFO waits for its other end, which no signal can interrupt.
 * @throws SvcError `untrusted_file` if the state folder exists and another user can change it, or it has such an entry.
 */
export function assertStateFolderTrusted(projectFolder: string, env: EnvironmentVariables): void {
  const folder = join(projectFolder, STATE_FOLDER);
  if (!existsSync(folder)) return;
  assertTrusted([folder], projectFolder, env);
  // Creating it reports a file.
  if (!statSync(folder).isDirectory()) return;
  const entries = readdirSync(folder, { withFileTypes: true });
  const special = entries.find((entry) => !entry.isFile() && !entry.isDirectory());
  if (special === undefined && !lstatSync(folder).isSymbolicLink()) return;
  const path = special === undefined ? folder : join(folder, special.name);
  throw new SvcError('untrusted_file', `${path} is not used: it is a link or a special file.`, {
    hint: { text: 'Remove it', command: `rm ${quoteForShell(path)}` },
  });
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
    writePrivateFile(path, `${JSON.stringify(content, null, 2)}\n`);
  } catch (error) {
    throw new SvcError('usage', `Cannot write ${path}: ${describeFileError(error)}.`, { cause: error });
  }
}

/** Writes the run file again if it was removed while the emulator runs. */
export function ensureRunFile(projectFolder: string, run: RunFile, env: EnvironmentVariables): void {
  if (!existsSync(join(projectFolder, STATE_FOLDER, RUN_FILE))) createRunFile(projectFolder, run, env);
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
 * The run file of the working folder, or of the nearest folder of the project above it. One without a running process does
 * not count.
 * @throws SvcError `untrusted_file` if another user can change the run file.
 */
export function findRunFile(location: ProjectLocation): RunFile | null {
  return findUpwards(location, (folder) => findOwnRunFile(folder, location.env));
}

/** Like {@link findRunFile}, for one folder only. */
export function findOwnRunFile(folder: string, env: EnvironmentVariables): RunFile | null {
  const runFile = inspectOwnRunFile(folder, env);
  return runFile?.isAlive ? runFile.run : null;
}

/** The nearest emulator above the project root. Commands do not use it, but mention it in their hints. Null without one. */
export function findRunFileAbove(location: ProjectLocation): { folder: string; run: RunFile } | null {
  for (const folder of listFoldersAbove(location)) {
    const run = ignoreUntrusted(() => findOwnRunFile(folder, location.env));
    if (run !== null) return { folder, run };
  }
  return null;
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

interface InspectedRunFile {
  readonly path: string;
  /** Null if it cannot be parsed. */
  readonly run: RunFile | null;
  readonly isAlive: boolean;
}

/**
 * The nearest run file of the project, even if its process has exited; null without a file.
 * @throws SvcError `untrusted_file` if another user can change it.
 */
export function inspectRunFile(location: ProjectLocation): InspectedRunFile | null {
  return findUpwards(location, (folder) => inspectOwnRunFile(folder, location.env));
}

function inspectOwnRunFile(folder: string, env: EnvironmentVariables): InspectedRunFile | null {
  const path = join(folder, STATE_FOLDER, RUN_FILE);
  if (!existsSync(path)) return null;
  assertTrusted([path, join(folder, STATE_FOLDER)], folder, env);
  assertWrittenBySvc(path, env);
  const run = readRun(path);
  return { path, run, isAlive: run !== null && isAlive(run.pid) };
}

/** Rejects a run file from a checkout or an archive, which could contain any URL. Its mode shows that svc did not create it. */
function assertWrittenBySvc(path: string, env: EnvironmentVariables): void {
  const { mode } = statSync(path);
  if (process.platform === 'win32' || (mode & 0o077) === 0 || isTrusted(path, env)) return;
  const octalMode = (mode & 0o777).toString(8);
  const message = `${path} is not used: its mode is ${octalMode}, but svc creates it with 600.`;
  const file = quoteForShell(path);
  throw new SvcError('untrusted_file', message, {
    hint: {
      text: `Run chmod 600 ${file} if your own emulator wrote it, or remove it`,
      command: `rm ${file}`,
    },
  });
}

function findUpwards<Result>(
  location: ProjectLocation,
  find: (folder: string) => Result | null,
): Result | null {
  for (const folder of listProjectFolders(location)) {
    const result = find(folder);
    if (result !== null) return result;
  }
  return null;
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
