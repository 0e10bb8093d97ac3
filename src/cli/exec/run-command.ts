/** Runs the command of `svc emulator exec` with the standard streams of svc, and forwards signals. */
import { constants } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { SvcError } from '../../domain/errors.ts';
import type { Context } from '../context.ts';
import type { EnvVariables } from '../env-variables.ts';
import type { SignalHandler } from '../process-context.ts';

export interface CommandResult {
  /** As in a shell: the exit code of the command, or 128 plus the number of the signal that ended it. */
  readonly exitCode: number;
  /** Whether a signal to svc asked the command to stop. */
  readonly wasInterrupted: boolean;
}

/** Time from SIGTERM to SIGKILL. */
const GRACE_MS = 5_000;
const POLL_INTERVAL_MS = 20;

/**
 * Runs the command to its end. With a terminal, the command stays in the foreground process group to be able to read, and
 * receives Ctrl-C and hang-ups directly. Otherwise it has its own group, which ends as a whole, and svc forwards signals.
 * @throws SvcError `usage` when the program does not exist.
 */
export async function runCommand(
  [program = '', ...args]: readonly string[],
  variables: EnvVariables,
  { cwd, env, io, handleSignals }: Pick<Context, 'cwd' | 'env' | 'io' | 'handleSignals'>,
): Promise<CommandResult> {
  // Windows has no process groups.
  const hasOwnGroup = !io.isStdinTerminal && process.platform !== 'win32';
  let wasInterrupted = false;
  const subprocess = execa(program, args, {
    cwd,
    env: { ...env, ...variables },
    extendEnv: false,
    stdio: 'inherit',
    detached: hasOwnGroup,
    reject: false,
    forceKillAfterDelay: GRACE_MS,
    windowsHide: false,
  });
  const { pid } = subprocess;
  const groupId = hasOwnGroup ? pid : undefined;
  const onSignal: SignalHandler = (signal) => {
    wasInterrupted = true;
    if (groupId === undefined) {
      // The terminal sends Ctrl-C to the command too.
      if (signal !== 'SIGINT' || !io.isStdinTerminal) subprocess.kill(signal);
    } else if (signal === 'SIGINT') signalGroup(groupId, signal);
    else void terminateGroup(groupId);
  };
  const restoreSignals = handleSignals(onSignal);
  // execa ends a command that shares the group.
  const onExit = () => groupId !== undefined && signalGroup(groupId, 'SIGTERM');
  process.once('exit', onExit);
  try {
    const { exitCode, signal, code, shortMessage } = await subprocess;
    if (pid === undefined) throw createStartError(program, code, shortMessage);
    // The command was started, so it has an exit code or a signal.
    return { exitCode: exitCode ?? 128 + constants.signals[signal ?? 'SIGKILL'], wasInterrupted };
  } finally {
    if (groupId !== undefined) await terminateGroup(groupId);
    process.off('exit', onExit);
    restoreSignals();
  }
}

/** Terminates a process group, and returns when none of its processes runs. */
async function terminateGroup(id: number): Promise<void> {
  const killAt = performance.now() + GRACE_MS;
  let isRunning = signalGroup(id, 'SIGTERM');
  while (isRunning && performance.now() < killAt) {
    await sleep(POLL_INTERVAL_MS);
    isRunning = signalGroup(id, 0);
  }
  if (isRunning) signalGroup(id, 'SIGKILL');
}

function signalGroup(id: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-id, signal);
  } catch {
    return false;
  }
}

const startErrorTexts: Readonly<Record<string, string>> = {
  ENOENT: 'the program does not exist',
  EACCES: 'the file is not executable',
};

function createStartError(program: string, code: string | undefined, detail: string | undefined): SvcError {
  const reason = startErrorTexts[code ?? ''] ?? detail ?? `unknown error (${code})`;
  return new SvcError('usage', `Cannot run the command ${program}: ${reason}.`, {
    hint: "Check the program name. Use a shell for && or $VAR: -- sh -c '…'",
  });
}
