/** The command line: creates the commands of the command tree, and loads the file of a command when the command runs. */
import { type Command, CommanderError } from 'commander';
import { ExitCode } from '../domain/errors.ts';
import { VERSION } from '../platform/package-info.ts';
import {
  type AnyCommand,
  CliCommand,
  COMPLETE_COMMAND,
  type CommandEntry,
  type Example,
  loadEntry,
} from './command.ts';
import { commandSections, commandTree } from './command-tree.ts';
import { createContext } from './context.ts';
import { addGlobalOptions, helpOption, readGlobalOptions, readOwnOptions } from './global-options.ts';
import { addExamples, addLearnMore, createHelpConfiguration, toUsage } from './help.ts';
import type { ProcessContext } from './process-context.ts';
import { explainMissingWorkspace, reportError } from './report-error.ts';
import { createMissingCommandError, nameInvalidValues, rejectUnknownArguments } from './usage-error.ts';

const rootExamples: readonly Example[] = [
  ['Start the emulator if none runs, and receive the deliveries', 'listen'],
  ['Create an event and wait until it is delivered', 'trigger order.shipped --wait'],
  ['Follow delivery attempts', 'deliveries tail'],
];

/** Runs one command line, given without program and script, and reports its errors. */
export async function runCommandLine(
  args: readonly string[],
  processContext: ProcessContext,
): Promise<number> {
  // Not parsed by commander, because its errors are reported as JSON too.
  const json = hasFlag(args, '--json');
  let exitCode: number = ExitCode.success;
  const words = toCommanderArguments(args);
  const program = createProgram(processContext, json, words[0], async (command, definition) => {
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

/**
 * `svc` shows the help; `svc help trigger` and `svc --help trigger` show that of a command. `svc --` stops Node 20
 * from reading options such as `--env-file`, which it does anywhere on the command line.
 */
function toCommanderArguments(args: readonly string[]): string[] {
  const [first, ...rest] = args;
  if (first === undefined) return ['--help'];
  if (first === '--') return toCommanderArguments(rest);
  return isHelpWord(first) ? [...rest, '--help'] : [...args];
}

function isHelpWord(word: string | undefined): boolean {
  return word === 'help' || word === '--help' || word === '-h';
}

/** Called by the completion scripts, not by people. */
async function printCompletions(words: readonly string[], processContext: ProcessContext): Promise<ExitCode> {
  const { complete } = await import('./completion/complete.ts');
  const lines = await complete(words, processContext);
  if (lines.length > 0) processContext.io.write(lines.join('\n'));
  return ExitCode.success;
}

/** For each command and group, what adds its options and examples, or its commands. */
const loaders = new WeakMap<Command, () => Promise<void>>();

type RunCommand = (command: Command, definition: AnyCommand) => Promise<void>;

/** @param first the first word of the command line. If it is a command, only that one is created. */
function createProgram(
  { io }: ProcessContext,
  json: boolean,
  first: string | undefined,
  run: RunCommand,
): Command {
  const isCommand = first !== undefined && Object.hasOwn(commandTree, first);
  const program = new CliCommand('svc')
    .description('Run a local emulator of the Workspace Events and Webhooks API')
    .version(VERSION, '-V, --version', 'Show the version')
    .enablePositionalOptions()
    .addHelpOption(helpOption)
    .configureHelp(createHelpConfiguration(io))
    .configureOutput({
      getOutHasColors: () => io.color,
      getErrHasColors: () => io.noteCapabilities.color,
      writeOut: (text) => io.write(text),
      // If a subcommand is missing, commander writes the help here, which is not JSON.
      writeErr: (text) => json || io.note(text),
      // `reportError` prints errors, as text or as JSON.
      outputError: () => {},
    });
  for (const [heading, commands] of Object.entries(commandSections)) {
    for (const [name, entry] of Object.entries(commands)) {
      if (!isCommand || name === first) addCommand(program, name, entry, run).helpGroup(heading);
    }
  }
  return finishGroup(program, rootExamples);
}

function addCommand(
  parent: CliCommand,
  name: string,
  entry: CommandEntry,
  run: RunCommand,
  isDefault = false,
): Command {
  // A command inherits the settings of its parent.
  const command = parent.command(name, { isDefault }).description(entry.summary);
  loaders.set(command, async () => {
    loaders.delete(command);
    const loaded = await loadEntry(entry);
    if ('commands' in loaded) {
      for (const [below, belowEntry] of Object.entries(loaded.commands))
        addCommand(command, below, belowEntry, run, below === loaded.defaultCommand);
      finishGroup(command, loaded.examples);
    } else {
      loaded.configure?.(command);
      finishCommand(command, loaded.examples).action(() => run(command, loaded));
    }
  });
  parent.hook('preSubcommand', (_, subcommand) => loaders.get(subcommand)?.());
  return command;
}

function finishGroup(group: Command, examples: readonly Example[]): Command {
  return addLearnMore(finishCommand(group.usage('<command> [options]'), examples));
}

/** Adds what every command has after its own options and notes. */
function finishCommand(command: Command, examples: readonly Example[]): Command {
  nameInvalidValues(command);
  // Commander shows the help even if other arguments are unknown.
  command.addHelpText('before', () => rejectUnknownArguments(command));
  command.helpCommand(false).exitOverride((error) => {
    throw error.exitCode === 0 ? error : createMissingCommandError(command);
  });
  return addExamples(addGlobalOptions(command), examples);
}
