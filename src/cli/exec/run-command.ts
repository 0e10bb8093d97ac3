/** Runs the command of `svc emulator exec` with the standard streams of svc, and forwards signals. */
import { constants } from 'node:os';
import { execa } from 'execa';
import { SvcError } from '../../errors.ts';
import type { ProcessGuard } from '../../watchdog/process-guard.ts';
import type { Context } from '../context.ts';
import type { EnvVariables } from '../env-variables.ts';
import type { SignalHandler } from '../process-context.ts';

export interface CommandResult {
  /** As in a shell: the exit code of the command, or 128 plus the number of the signal that ended it. */
  readonly exitCode: number;
  /** Whether a signal to svc asked the command to stop. */
  readonly wasInterrupted: boolean;
}

/**
 * Runs the command to its end. With a terminal, the command stays in the foreground process group to be able to read, and
 * receives Ctrl-C and hang-ups directly. Otherwise it has its own group, and svc forwards signals.
 * @throws SvcError `usage` when the program does not exist.
 */
export async function runCommand(
  [program = '', ...args]: readonly string[],
  variables: EnvVariables,
  guard: ProcessGuard,
  { cwd, env, io, handleSignals }: Pick<Context, 'cwd' | 'env' | 'io' | 'handleSignals'>,
): Promise<CommandResult> {
  const sharesGroup = io.isStdinTerminal;
  let wasInterrupted = false;
  const subprocess = guard.start(sharesGroup ? 'shared' : 'own', ({ detached }) =>
    execa(program, args, {
      cwd,
      env: { ...env, ...variables },
      extendEnv: false,
      stdio: 'inherit',
      detached,
      reject: false,
      // If svc exits, the guard terminates the command with its descendants.
      cleanup: false,
      windowsHide: false,
    }),
  );
  const { pid } = subprocess;
  const onSignal: SignalHandler = (signal) => {
    wasInterrupted = true;
    // After SIGTERM and SIGHUP, the guard sends SIGTERM to the command, and SIGKILL five seconds later.
    if (signal !== 'SIGINT') void guard.terminate();
    else if (!sharesGroup && pid !== undefined) interruptGroup(pid);
  };
  const restoreSignals = handleSignals(onSignal);
  try {
    const { exitCode, signal, code, shortMessage } = await subprocess;
    if (pid === undefined) throw createStartError(program, code, shortMessage);
    // The command was started, so it has an exit code or a signal.
    return { exitCode: exitCode ?? 128 + constants.signals[signal ?? 'SIGKILL'], wasInterrupted };
  } finally {
    restoreSignals();
  }
}

/** Sends SIGINT to the group of the command, like a terminal. */
function interruptGroup(pid: number): void {
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGINT');
  } catch {
    // It has ended.
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
