/** Ends the children of this process when it ends, however it ends: the watchdog process and a pipe to it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { getPackageFolder } from '../package-folder.ts';
import type { ProcessTarget, WatchdogMessage } from './process-target.ts';

export interface ProcessGuard {
  /** Adds a child that must not outlive this process. */
  add(processTarget: ProcessTarget): void;
  /** Stops guarding a child, by its process id; what it has started may stay. */
  remove(command: number): void;
  /** Ends the children that still run, and what they have started; within six seconds. */
  terminate(): Promise<void>;
}

/** @param folder of temporary files, which is removed when this process is killed before it could do so; null for none. */
export async function createProcessGuard(
  env: Readonly<Record<string, string | undefined>>,
  folder: string | null = null,
): Promise<ProcessGuard> {
  const words = [
    join(getPackageFolder(), 'dist/watchdog.js'),
    String(process.pid),
    ...(folder === null ? [] : [folder]),
  ];
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
  const send = (message: WatchdogMessage) => void watchdog.stdin.write(`${JSON.stringify(message)}\n`);
  return {
    add: send,
    remove: (command) => send({ released: command }),
    async terminate() {
      watchdog.stdin.end();
      await gone;
    },
  };
}
