/** Restarts a receiver with a shell command, and waits until it accepts connections again. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { formatDuration, SECOND_MS } from '../../domain/duration.ts';
import { getPort, stripBrackets } from '../../domain/http-url.ts';
import { SvcError } from '../../errors.ts';
import { sleep } from '../../timers.ts';
import { createProcessGuard } from '../../watchdog/process-guard.ts';

const COMMAND_TIMEOUT_MS = 60 * SECOND_MS;
const START_TIMEOUT_MS = 30 * SECOND_MS;
const CONNECT_INTERVAL_MS = 25;
const OPTION = '--restart-command';

/**
 * Runs the command to its end. The receiver that it starts in the background keeps running. If svc ends before the command,
 * both are terminated.
 * @throws SvcError `usage` if the command fails
 */
export async function runRestartCommand(
  command: string,
  { cwd, signal }: { readonly cwd: string; readonly signal: AbortSignal },
): Promise<void> {
  // Without pipes, which a receiver in the background would keep open.
  const options = { cwd, signal, shell: true, stdio: 'ignore', timeout: COMMAND_TIMEOUT_MS } as const;
  const guard = await createProcessGuard(process.env);
  const child = guard.start('shared', () => spawn(command, options));
  let ending: readonly [number | null, string | null];
  try {
    ending = (await once(child, 'exit')) as [number | null, string | null];
  } catch (error) {
    throw createRestartError(`Cannot run the ${OPTION} command: ${(error as Error).message}.`);
  } finally {
    if (!signal.aborted) guard.release(child);
    await guard.terminate();
  }
  const [exitCode, endSignal] = ending;
  if (exitCode === 0) return;
  const problem = exitCode === null ? `was terminated by ${endSignal}` : `exited with code ${exitCode}`;
  throw createRestartError(`The ${OPTION} command ${problem}.`);
}

/** @throws SvcError `usage` if the receiver accepts no connection in time */
export async function waitUntilListening(url: string, signal: AbortSignal): Promise<void> {
  const startedAt = performance.now();
  while (!signal.aborted && !(await acceptsConnection(url))) {
    if (performance.now() - startedAt > START_TIMEOUT_MS) {
      throw createRestartError(
        `The receiver did not accept a connection within ${formatDuration(START_TIMEOUT_MS)} of the restart.`,
      );
    }
    await sleep(CONNECT_INTERVAL_MS, signal);
  }
}

function acceptsConnection(address: string): Promise<boolean> {
  const url = new URL(address);
  return new Promise((resolve) => {
    const socket = connect({ host: stripBrackets(url.hostname), port: getPort(url), timeout: SECOND_MS });
    const end = (isAccepted: boolean) => {
      socket.destroy();
      resolve(isAccepted);
    };
    socket
      .on('connect', () => end(true))
      .on('error', () => end(false))
      .on('timeout', () => end(false));
  });
}

function createRestartError(message: string): SvcError {
  return new SvcError('usage', message, {
    hint: 'Pass a command that stops the receiver, starts it in the background, and exits.',
  });
}
