/** Folders in which a database cannot grow: a full file system, or a kernel limit on the size of files. */
import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { onTestFinished } from 'vitest';
import { databaseIn } from './svc-process.ts';

/** Fills a folder and frees it again. */
export interface SmallDisk {
  readonly name: string;
  /** Called before the emulator starts. */
  prepare(folder: string): void;
  /** Leaves half a megabyte of free space. */
  fill(folder: string, pid: number): void;
  free(folder: string, pid: number): void;
}

const FREE_BYTES = 512 * 1024;

/** Writes fail with ENOSPC. */
const fileSystem: SmallDisk = {
  name: 'a full file system',
  prepare: (folder) => {
    // Others must not be able to write to the folder, or svc does not trust its configuration file.
    run('mount', '-t', 'tmpfs', '-o', 'size=64m,mode=700', 'svc-torture', folder);
    onTestFinished(() => run('umount', '--lazy', folder));
  },
  fill: (folder) => {
    const kib = Math.ceil((sizeOf(folder) + FREE_BYTES) / 1024);
    run('mount', '-o', `remount,size=${kib}k`, folder);
  },
  free: (folder) => run('mount', '-o', 'remount,size=64m', folder),
};

/** Writes fail with EFBIG, which SQLite reports as an I/O error. */
const fileLimit: SmallDisk = {
  name: 'a limit on the size of files',
  prepare: () => {},
  fill: (folder, pid) => limitFiles(pid, String(sizeOf(folder) + FREE_BYTES)),
  free: (_, pid) => limitFiles(pid, 'unlimited'),
};

/** Whether `prlimit` of util-linux is installed. */
export const canLimitFiles = succeeds('prlimit', '--version');
const canMount =
  process.getuid?.() === 0 && succeeds('unshare', '--mount', 'mount', '-t', 'tmpfs', 'probe', '/mnt');

/** The kinds that this machine supports. */
export const smallDisks = [...(canMount ? [fileSystem] : []), ...(canLimitFiles ? [fileLimit] : [])];
if (!canMount) process.emitWarning('a full file system is not tested, because only root can mount one');
if (!canLimitFiles) process.emitWarning('a limit on files is not tested, because prlimit is not installed');

/** Size of the database and its log. */
function sizeOf(folder: string): number {
  const database = databaseIn(folder);
  return statSync(database).size + statSync(`${database}-wal`).size;
}

function limitFiles(pid: number, bytes: string): void {
  run('prlimit', '--pid', String(pid), `--fsize=${bytes}:unlimited`);
}

function succeeds(command: string, ...args: string[]): boolean {
  return spawnSync(command, args).status === 0;
}

function run(command: string, ...args: string[]): void {
  const { status, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stderr}`);
}
