/** Lists the processes whose working folder is in a given folder. */
import { readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { sep } from 'node:path';
import { expect } from 'vitest';

/** Only Linux has /proc. */
export const canListProcesses = process.platform === 'linux';

/** The command lines of the processes whose working folder is `cwd` or below it. */
export function listProcessesIn(cwd: string): string[] {
  return listPidsIn(cwd).map(readCommandLine);
}

function listPidsIn(cwd: string): string[] {
  const folder = realpathSync(cwd);
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => `${readFolder(pid)}${sep}`.startsWith(`${folder}${sep}`));
}

function readCommandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    // The process ended meanwhile.
    return '';
  }
}

export async function expectNoProcessIn(cwd: string): Promise<void> {
  await expect.poll(() => listProcessesIn(cwd)).toEqual([]);
}

function readFolder(pid: string): string {
  try {
    // The folder may have been removed meanwhile.
    return readlinkSync(`/proc/${pid}/cwd`).replace(/ \(deleted\)$/, '');
  } catch {
    return '';
  }
}
