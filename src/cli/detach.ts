/** Starting the emulator in the background: the same command line again, its output in a file. */
import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createStateFolder } from '../control/run-file.ts';
import { type ErrorCode, isErrorCode, SvcError } from '../errors.ts';
import type { Host } from './context.ts';
import { lookUntil } from './look-until.ts';
import { isReadyLine, type ReadyLine, type ReadyStatus } from './ready.ts';

const LONGEST_START_MS = 30_000;

/**
 * Runs `invocation` as a process of its own and waits for its ready line, which it returns.
 * @throws SvcError the error that the process left with; `timeout` when it is not ready in 30 seconds.
 */
export async function startDetached(host: Host, projectFolder: string): Promise<ReadyStatus> {
  const log = join(createStateFolder(projectFolder), 'emulator.log');
  const output = openSync(log, 'w', 0o600);
  const [program = '', ...args] = host.invocation.filter((word) => word !== '--detach' && word !== '--json');
  const child = spawn(program, [...args, '--json'], {
    cwd: host.cwd,
    env: host.env,
    detached: true,
    windowsHide: true,
    stdio: ['ignore', output, output],
  });
  closeSync(output);
  child.unref();
  const line = await lookUntil(
    async () => findFirstLine(log) ?? (child.exitCode === null ? null : ''),
    (seen) => seen !== null,
    { timeoutMs: LONGEST_START_MS, signal: host.signal },
  ).catch((error: unknown) => {
    child.kill();
    throw error;
  });
  if (line === null) {
    child.kill();
    throw new SvcError('timeout', 'The emulator was not ready in 30 seconds.', {
      hint: `Its output is in ${log}.`,
    });
  }
  return parseReadyLine(line, log);
}

function findFirstLine(path: string): string | null {
  const text = readFileSync(path, 'utf8');
  const end = text.indexOf('\n');
  return end < 0 ? null : text.slice(0, end);
}

function parseReadyLine(line: string, log: string): ReadyStatus {
  const message = parseObject(line);
  if (isReadyLine(message)) return message;
  const {
    code = 'internal_error',
    message: text = 'The emulator did not start.',
    hint,
  } = message?.error ?? {};
  throw new SvcError(isErrorCode(code) ? code : 'internal_error', text, {
    hint: hint ?? `Its output is in ${log}.`,
  });
}

interface Message {
  readonly error?: { readonly code?: ErrorCode; readonly message?: string; readonly hint?: string };
}

function parseObject(line: string): Message | ReadyLine | null {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
