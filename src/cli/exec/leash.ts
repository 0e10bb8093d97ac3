/** What holds a command so that nothing of it outlives this process: the watchdog, and a pipe to it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { findPackageFolder } from '../../package-folder.ts';
import type { Quarry } from '../../watchdog/quarry.ts';
import type { Host } from '../context.ts';

export interface Leash {
  /** Says whom to end. */
  hold(quarry: Quarry): void;
  /** Ends the command, if it still runs, and what it has started; within six seconds. */
  end(): Promise<void>;
}

/** @param folder of temporary files, which is removed where this process is killed before it could do so. */
export async function createLeash({ env }: Pick<Host, 'env'>, folder: string): Promise<Leash> {
  const words = [join(findPackageFolder(), 'dist/watchdog.js'), String(process.pid), folder];
  const watchdog = spawn(process.execPath, words, {
    // What is loaded into the command with `NODE_OPTIONS` is not meant for this one.
    env: { ...env, NODE_OPTIONS: undefined },
    detached: true,
    windowsHide: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  await once(watchdog, 'spawn');
  const gone = once(watchdog, 'exit');
  watchdog.stdin.on('error', () => undefined);
  return {
    hold: (quarry) => void watchdog.stdin.write(`${JSON.stringify(quarry)}\n`),
    async end() {
      watchdog.stdin.end();
      await gone;
    },
  };
}
