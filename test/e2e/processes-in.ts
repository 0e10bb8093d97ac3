/** Which processes of this machine work in a folder. */
import { readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { sep } from 'node:path';
import { expect } from 'vitest';

/** Elsewhere a test cannot see the folders of processes. */
export const showsProcesses = process.platform === 'linux';

/** The command lines of the processes whose working folder is `cwd` or below it. */
export function listProcessesIn(cwd: string): string[] {
  const folder = realpathSync(cwd);
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => `${readFolder(pid)}${sep}`.startsWith(`${folder}${sep}`))
    .map((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' '));
}

export async function expectNobodyIn(cwd: string): Promise<void> {
  await expect.poll(() => listProcessesIn(cwd), { timeout: 10_000 }).toEqual([]);
}

function readFolder(pid: string): string {
  try {
    // The folder may have been removed meanwhile.
    return readlinkSync(`/proc/${pid}/cwd`).replace(/ \(deleted\)$/, '');
  } catch {
    return '';
  }
}
