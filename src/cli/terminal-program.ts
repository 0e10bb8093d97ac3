/** Starts programs that use the terminal: an editor, a pager. */
import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { createProcessGuard } from '../watchdog/process-guard.ts';
import { targetInSharedGroup } from '../watchdog/process-target.ts';

export interface TerminalProgramOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly stdio: StdioOptions;
}

/**
 * Starts `line` in a shell, because it can contain options: `code --wait`. It stays in this process group, because only
 * one group can read from a terminal. If this process is killed, the program ends too.
 */
export async function startTerminalProgram(
  line: string,
  { env, stdio }: TerminalProgramOptions,
): Promise<ChildProcess> {
  const guard = await createProcessGuard(env);
  const toTarget = targetInSharedGroup();
  const child = spawn(line, { shell: true, env, stdio });
  const { pid } = child;
  if (pid !== undefined) guard.add(toTarget(pid));
  child.once('close', () => {
    // An editor can keep a window open for other files.
    if (pid !== undefined) guard.remove(pid);
    void guard.terminate();
  });
  return child;
}
