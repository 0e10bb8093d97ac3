/** Starts the emulator in the background: the same command line again, with its output in a file. */
import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pollUntil } from '../client/poll-until.ts';
import { createStateFolder } from '../config/run-file.ts';
import { type Hint, isErrorCode, SvcError } from '../errors.ts';
import { createWriteError } from './file-access.ts';
import type { NoteOutput, ProcessContext } from './process-context.ts';
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
 * Runs the command line again in a process that outlives this one and its terminal, waits for its ready line, and prints the
 * notes before it.
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
    const endedWithoutMessage: LogMessage = {};
    return readMessages(log).find(isReadyOrError) ?? (hasEnded ? endedWithoutMessage : null);
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
  printNotes(log, processContext.io);
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

/** What a process prints before its ready line, or instead of it; empty if it ended without a message. */
interface LogMessage {
  readonly note?: { readonly message: string };
  readonly error?: { readonly code?: string; readonly message?: string; readonly hint?: Hint };
}

/** The JSON objects in the log. Node.js can write other lines. */
function readMessages(log: string): (ReadyLine | LogMessage)[] {
  const lines = readFileSync(log, 'utf8').split('\n').slice(0, -1);
  return lines.flatMap(parseObject);
}

function parseObject(line: string): (ReadyLine | LogMessage)[] {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? [value] : [];
  } catch {
    return [];
  }
}

function isReadyOrError(message: ReadyLine | LogMessage): boolean {
  return isReadyLine(message) || 'error' in message;
}

/** Prints the notes before the ready line or the error; all of them if there is neither. */
function printNotes(log: string, io: NoteOutput): void {
  for (const message of readMessages(log)) {
    if (isReadyOrError(message)) return;
    if ('note' in message) io.note(message.note.message);
  }
}

function toSvcError({ error }: LogMessage, log: string): SvcError {
  if (error === undefined) {
    return new SvcError('internal_error', 'The emulator did not start.', { hint: toLogHint(log) });
  }
  const { code = '', message = '', hint } = error;
  return new SvcError(isErrorCode(code) ? code : 'internal_error', message, { hint });
}

function toLogHint(log: string): string {
  return `Read its log: ${log}`;
}
