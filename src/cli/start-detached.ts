/** Starts the emulator in the background: the same command line again, with its output in a file. */
import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pollUntil } from '../client/poll-until.ts';
import { createStateFolder } from '../config/run-file.ts';
import { type Hint, isErrorCode, SvcError } from '../errors.ts';
import { createWriteError } from './file-access.ts';
import type { ProcessContext } from './process-context.ts';
import { isReadyLine, type ReadyLine, type ReadyStatus } from './ready-line.ts';

/** The option of `emulator start` with which the process logs attempts after its ready line. */
export const LOG_ATTEMPTS = '--log-attempts';

const STARTUP_TIMEOUT_MS = 30_000;

interface DetachedEmulator {
  readonly status: ReadyStatus;
  /** Path of the file with its output. */
  readonly log: string;
}

/**
 * Runs the command line again in a process that outlives this one and its terminal, and waits for its ready line.
 * @throws SvcError the error that the process reported; `timeout` when it is not ready within 30 seconds.
 */
export async function startDetached(
  processContext: ProcessContext,
  projectFolder: string,
): Promise<DetachedEmulator> {
  const log = join(createStateFolder(projectFolder, processContext.env), 'emulator.log');
  const output = openLog(log);
  const [program = '', ...args] = processContext.commandLine.filter(
    (word) => word !== '--detach' && word !== '--json',
  );
  const child = spawn(program, [...args, '--json', LOG_ATTEMPTS], {
    cwd: processContext.cwd,
    env: processContext.env,
    detached: true,
    windowsHide: true,
    stdio: ['ignore', output, output],
  });
  closeSync(output);
  child.unref();
  const load = async () => {
    // Before the log is read, because the process writes its output before it ends.
    const hasEnded = child.exitCode !== null || child.signalCode !== null;
    const endedWithoutMessage: StartupError = {};
    return findReadyOrError(log) ?? (hasEnded ? endedWithoutMessage : null);
  };
  const { signal } = processContext;
  const message = await pollUntil(load, (result) => result !== null, {
    timeoutMs: STARTUP_TIMEOUT_MS,
    signal,
  }).catch((error: unknown) => {
    child.kill();
    throw error;
  });
  if (message === null) {
    child.kill();
    throw new SvcError('timeout', 'The emulator was not ready within 30 seconds.', { hint: toLogHint(log) });
  }
  if (isReadyLine(message)) return { status: message, log };
  throw toSvcError(message, log);
}

function openLog(path: string): number {
  try {
    return openSync(path, 'w', 0o600);
  } catch (error) {
    throw createWriteError(path, error, 'Start the emulator without --detach, or in a writable folder.');
  }
}

/** The error that a process reported instead of its ready line; empty if it ended without one. */
interface StartupError {
  readonly error?: { readonly code?: string; readonly message?: string; readonly hint?: Hint };
}

/** The first ready line or error in the log. Node.js can write other lines. */
function findReadyOrError(log: string): ReadyLine | StartupError | null {
  const lines = readFileSync(log, 'utf8').split('\n').slice(0, -1);
  const messages = lines.map(parseObject);
  return messages.find((message) => isReadyLine(message) || (message && 'error' in message)) ?? null;
}

function parseObject(line: string): StartupError | ReadyLine | null {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' ? value : null;
  } catch {
    return null;
  }
}

function toSvcError({ error = {} }: StartupError, log: string): SvcError {
  const { code = '', message = 'The emulator did not start.', hint } = error;
  return new SvcError(isErrorCode(code) ? code : 'internal_error', message, { hint: hint ?? toLogHint(log) });
}

function toLogHint(log: string): string {
  return `Read its log: ${log}`;
}
