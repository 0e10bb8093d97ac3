/** The command of `svc emulator exec`: its streams are ours, and signals pass both ways. */
import { constants } from 'node:os';
import { execa } from 'execa';
import { SvcError } from '../../errors.ts';
import type { ProcessGuard } from '../../watchdog/process-guard.ts';
import { targetInOwnGroup, targetInSharedGroup } from '../../watchdog/process-target.ts';
import type { Context, SignalHandler } from '../context.ts';
import type { EnvVariables } from '../env-variables.ts';

export interface CommandResult {
  /** What a shell would say: its own, or 128 and the number of the signal that killed it. */
  readonly exitCode: number;
  /** Whether a signal asked us to end it. */
  readonly wasInterrupted: boolean;
}

/**
 * Runs the command to its end.
 *
 * Where there is a keyboard the command stays in the process group that the terminal has in front, or it could not
 * read: Ctrl-C and a hang-up reach it without us. Elsewhere it has a group of its own, and gets from us what we get.
 * @throws SvcError `usage` when there is no such program.
 */
export async function runCommand(
  [program = '', ...args]: readonly string[],
  variables: EnvVariables,
  guard: ProcessGuard,
  { cwd, env, io, redirectSignals }: Pick<Context, 'cwd' | 'env' | 'io' | 'redirectSignals'>,
): Promise<CommandResult> {
  const isShared = io.isStdinTerminal;
  const toQuarry = isShared ? targetInSharedGroup() : targetInOwnGroup;
  let wasInterrupted = false;
  const subprocess = execa(program, args, {
    ...{ cwd, stdio: 'inherit', reject: false, detached: !isShared && hasGroups() },
    // The guard does that, also where this process cannot.
    cleanup: false,
    ...{ env: { ...env, ...variables }, extendEnv: false, windowsHide: false },
  });
  const { pid } = subprocess;
  if (pid !== undefined) guard.add(toQuarry(pid));
  const onSignal: SignalHandler = (signal) => {
    wasInterrupted = true;
    // What asks for more than Ctrl-C does is given five seconds.
    if (signal !== 'SIGINT') void guard.terminate();
    else if (!isShared && pid !== undefined) interruptGroup(pid);
  };
  const restoreSignals = redirectSignals(onSignal);
  try {
    const { exitCode, signal, code, shortMessage } = await subprocess;
    if (pid === undefined) throw createStartError(program, code, shortMessage);
    return { exitCode: exitCode ?? 128 + constants.signals[signal ?? 'SIGKILL'], wasInterrupted };
  } finally {
    restoreSignals();
  }
}

function hasGroups(): boolean {
  return process.platform !== 'win32';
}

/** As a terminal would: everybody in the group of the command hears of it. */
function interruptGroup(command: number): void {
  try {
    process.kill(hasGroups() ? -command : command, 'SIGINT');
  } catch {
    // It has ended meanwhile.
  }
}

const startErrorTexts: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such program',
  EACCES: 'it is no program, or may not be run',
};

function createStartError(program: string, code: string | undefined, detail: string | undefined): SvcError {
  const reason = startErrorTexts[code ?? ''] ?? detail ?? 'it did not start';
  return new SvcError('usage', `The command ${program} cannot be run: ${reason}.`, {
    hint: "Write it as for a shell. What a shell understands, such as && or $VAR, needs one: -- sh -c '…'",
  });
}
