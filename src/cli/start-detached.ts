/** Starts the emulator in the background: the same command line again, with its output in a file. */
import { type ChildProcess, spawn } from 'node:child_process';
import { on } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { createStateFolder } from '../config/run-file.ts';
import { SvcError } from '../domain/errors.ts';
import { abortAfter, withAnySignal } from '../platform/abort-signals.ts';
import { createWriteError } from './file-access.ts';
import { DETACHED, type NoteOutput, type ProcessContext, type StartMessage } from './process-context.ts';

const STARTUP_TIMEOUT_MS = 30_000;

/**
 * Runs the command line again in a process that outlives this one and its terminal, prints its notes, and waits until it is ready.
 * @returns the path of the file to which it appends its output
 * @throws SvcError the error that the process reported; `timeout` when it is not ready within 30 seconds.
 */
export async function startDetached(context: ProcessContext, projectFolder: string): Promise<string> {
  const log = join(createStateFolder(projectFolder, context.env), 'emulator.log');
  const output = openLog(log);
  const [program = '', ...args] = context.commandLine.filter(
    (word) => word !== '--detach' && word !== '--json',
  );
  const child = spawn(program, [...args, '--json', DETACHED], {
    cwd: context.cwd,
    env: context.env,
    detached: true,
    windowsHide: true,
    stdio: ['ignore', output, output, 'ipc'],
  });
  closeSync(output);
  child.unref();
  try {
    const deadline = abortAfter(STARTUP_TIMEOUT_MS);
    await withAnySignal([context.signal, deadline], (signal) => waitUntilReady(child, context.io, signal));
    return log;
  } catch (error) {
    child.kill();
    if (error instanceof SvcError) throw error;
    if (context.signal.aborted) throw new SvcError('interrupted', 'Interrupted.', { cause: error });
    const hint = `Read its log: ${log}`;
    throw (error as Error).name === 'AbortError'
      ? new SvcError('timeout', 'The emulator was not ready within 30 seconds.', { hint })
      : new SvcError('internal_error', 'The emulator did not start.', { hint, cause: error });
  }
}

function openLog(path: string): number {
  try {
    return openSync(path, 'a', 0o600);
  } catch (error) {
    throw createWriteError(path, error, 'Start the emulator without --detach, or in a writable folder.');
  }
}

/** @throws SvcError that the process reported; `AbortError`; Error if it cannot start or ends */
async function waitUntilReady(child: ChildProcess, io: NoteOutput, signal: AbortSignal): Promise<void> {
  for await (const [received] of on(child, 'message', { signal, close: ['disconnect'] })) {
    const message: StartMessage = received;
    if ('ready' in message) return;
    if ('note' in message) io.note(message.note.message);
    if ('error' in message) {
      const { code, message: text, hint } = message.error;
      throw new SvcError(code, text, { hint });
    }
  }
  throw new Error('It ended without a message.');
}
