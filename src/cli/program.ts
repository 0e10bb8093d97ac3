/** The command line: runs one command and reports its errors. */
import { CommanderError } from 'commander';
import { ExitCode } from '../domain/errors.ts';
import { COMPLETE_COMMAND } from './command.ts';
import { createContext } from './context.ts';
import { createProgram, toCommanderArguments } from './create-program.ts';
import { readGlobalOptions, readOwnOptions } from './global-options.ts';
import { toUsage } from './help.ts';
import type { ProcessContext } from './process-context.ts';
import { explainMissingWorkspace, reportError } from './report-error.ts';

/** Runs one command line, given without program and script, and reports its errors. */
export async function runCommandLine(
  args: readonly string[],
  processContext: ProcessContext,
): Promise<number> {
  // Not parsed by commander, because its errors are reported as JSON too.
  const json = hasFlag(args, '--json');
  let exitCode: number = ExitCode.success;
  const words = args.length === 0 ? ['--help'] : toCommanderArguments(args);
  const program = createProgram(processContext.io, json, words[0], async (command, definition) => {
    const context = createContext(processContext, readGlobalOptions(command), { usage: toUsage(command) });
    // The options of each command have another type, which `configure` of the same file creates.
    exitCode = (await definition.run(readOwnOptions(command) as never, context)) ?? ExitCode.success;
  });
  try {
    if (words[0] === COMPLETE_COMMAND) return await printCompletions(words.slice(1), processContext);
    await program.parseAsync(words, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return ExitCode.success;
    return reportError(explainMissingWorkspace(error, processContext.env), processContext.io, json);
  }
}

/** Whether a global option without a value is among the words before a `--`. */
export function hasFlag(args: readonly string[], flag: string): boolean {
  // From 1: the first word can be the `--` for Node 20, see `toCommanderArguments`.
  const end = args.indexOf('--', 1);
  return args.slice(0, end < 0 ? args.length : end).includes(flag);
}

/** Called by the completion scripts, not by people. */
async function printCompletions(words: readonly string[], processContext: ProcessContext): Promise<ExitCode> {
  const { complete } = await import('./complete.ts');
  const lines = await complete(words, processContext);
  if (lines.length > 0) processContext.io.write(lines.join('\n'));
  return ExitCode.success;
}
