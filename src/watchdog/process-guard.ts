/** Starts the watchdog process, which terminates the children of this process when it exits, even if it is killed. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { getPackageFolder } from '../package-info.ts';
import type { ProcessTarget, WatchdogMessage } from './process-target.ts';

export interface ProcessGuard {
  /** Guards a child, which must not outlive this process. */
  add(target: ProcessTarget): void;
  /** Stops guarding a child and its descendants. */
  remove(pid: number): void;
  /** Terminates all guarded children and their descendants, within six seconds. */
  terminate(): Promise<void>;
}

/** @param folder temporary files that the watchdog deletes if this process is killed; null for none. */
export async function createProcessGuard(
  env: Readonly<Record<string, string | undefined>>,
  folder: string | null = null,
): Promise<ProcessGuard> {
  const args = [
    join(getPackageFolder(), 'dist/watchdog.js'),
    String(process.pid),
    ...(folder === null ? [] : [folder]),
  ];
  const watchdog = spawn(process.execPath, args, {
    // Modules that `NODE_OPTIONS` preloads are meant for the command, not for the watchdog.
    env: { ...env, NODE_OPTIONS: undefined },
    detached: true,
    windowsHide: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  await once(watchdog, 'spawn');
  const exited = once(watchdog, 'exit');
  watchdog.stdin.on('error', () => undefined);
  const send = (message: WatchdogMessage) => void watchdog.stdin.write(`${JSON.stringify(message)}\n`);
  return {
    add: send,
    remove: (pid) => send({ released: pid }),
    async terminate() {
      watchdog.stdin.end();
      await exited;
    },
  };
}
