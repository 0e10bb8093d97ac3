/** `.svc/run.json`: how the commands in a folder find the emulator that was started there. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { SvcError } from '../errors.ts';

export const STATE_FOLDER = '.svc';
const RUN_FILE = 'run.json';

export interface RunFile {
  readonly pid: number;
  readonly started_at: string;
  readonly control_url: string;
  readonly version: string;
  /** Path of the certificate that its clients are to trust; missing where the usual authorities will do. */
  readonly certificate?: string;
  /** What its control plane asks for; missing where it asks for nothing. */
  readonly control_token?: string | undefined;
}

/**
 * Creates the state folder of `cwd`, which keeps itself out of version control.
 * @returns its path. @throws SvcError `usage` where it cannot be written.
 */
export function createStateFolder(cwd: string): string {
  const folder = join(cwd, STATE_FOLDER);
  const ignoreFile = join(folder, '.gitignore');
  try {
    mkdirSync(folder, { recursive: true });
    if (!existsSync(ignoreFile)) writeFileSync(ignoreFile, '*\n');
  } catch (error) {
    throw new SvcError('usage', `The state folder cannot be written: ${(error as Error).message}.`, {
      hint: 'Start the emulator in a folder that you may write to, on a disk with space.',
      cause: error,
    });
  }
  return folder;
}

/** Records a running emulator for the folder `cwd`; only the owner may read it. */
export function createRunFile(cwd: string, run: RunFile): void {
  const { pid, started_at, control_url, version, certificate, control_token } = run;
  const path = join(createStateFolder(cwd), RUN_FILE);
  rmSync(path, { force: true });
  // What is undefined is left out of the JSON.
  const kept = { pid, started_at, control_url, version, certificate, control_token };
  writeFileSync(path, `${JSON.stringify(kept, null, 2)}\n`, { mode: 0o600 });
}

/** Removes the run file of `cwd`, unless another emulator has taken it over meanwhile. */
export function removeRunFile(cwd: string, pid: number): void {
  const path = join(cwd, STATE_FOLDER, RUN_FILE);
  if (findRun(path)?.pid === pid) rmSync(path, { force: true });
}

/** The emulator that runs for `cwd` or the nearest folder above it; one whose process is gone does not count. */
export function findRunFile(cwd: string): RunFile | null {
  return findUpwards(cwd, findOwnRunFile);
}

/** The emulator that runs for this very folder; one whose process is gone does not count. */
export function findOwnRunFile(folder: string): RunFile | null {
  const found = inspectOwnRunFile(folder);
  return found?.isAlive ? found.run : null;
}

interface InspectedRunFile {
  readonly path: string;
  /** Null where it cannot be read. */
  readonly run: RunFile | null;
  readonly isAlive: boolean;
}

/** The nearest run file with what is in it, also when it is of no use any more; null where there is none. */
export function inspectRunFile(cwd: string): InspectedRunFile | null {
  return findUpwards(cwd, inspectOwnRunFile);
}

function inspectOwnRunFile(folder: string): InspectedRunFile | null {
  const path = join(folder, STATE_FOLDER, RUN_FILE);
  if (!existsSync(path)) return null;
  const run = findRun(path);
  return { path, run, isAlive: run !== null && isAlive(run.pid) };
}

/** What is found in `cwd` or in the nearest folder above it. */
function findUpwards<Found>(cwd: string, find: (folder: string) => Found | null): Found | null {
  for (let folder = cwd; ; folder = dirname(folder)) {
    const found = find(folder);
    if (found !== null || folder === dirname(folder)) return found;
  }
}

function findRun(path: string): RunFile | null {
  try {
    const run = JSON.parse(readFileSync(path, 'utf8')) as Partial<RunFile> | null;
    return typeof run?.pid === 'number' && typeof run.control_url === 'string' ? (run as RunFile) : null;
  } catch {
    return null;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // A process of another user exists, but may not be asked.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
