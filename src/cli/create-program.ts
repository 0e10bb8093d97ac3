/** Creates the commands of the command tree, and loads the file of a command when the command is needed. */
import type { Command } from 'commander';
import { VERSION } from '../platform/package-info.ts';
import { type AnyCommand, CliCommand, type CommandEntry, type Example, loadEntry } from './command.ts';
import { commandSections, commandTree } from './command-tree.ts';
import { addGlobalOptions, helpOption } from './global-options.ts';
import { addExamples, addLearnMore, createHelpConfiguration } from './help.ts';
import type { Io } from './process-context.ts';
import { createMissingCommandError, nameInvalidValues, rejectUnknownArguments } from './usage-error.ts';

const rootExamples: readonly Example[] = [
  ['Start the emulator if none runs, and receive the deliveries', 'listen'],
  ['Create an event and wait until it is delivered', 'trigger order.shipped --wait'],
  ['Follow delivery attempts', 'deliveries tail'],
];

/** For each command and group, what adds its options and examples, or its commands. */
const loaders = new WeakMap<Command, () => Promise<void>>();

type RunCommand = (command: Command, definition: AnyCommand) => Promise<void>;

/** @param first the first word of the command line. If it is a command, only that one is created. */
export function createProgram(io: Io, json: boolean, first: string | undefined, run: RunCommand): Command {
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
      const examples = Object.values(loaded.commands).flatMap((each) =>
        'run' in each ? each.examples.slice(0, 1) : [],
      );
      finishGroup(command, examples);
    } else {
      loaded.configure?.(command);
      finishCommand(command, loaded.examples).action(() => run(command, loaded));
    }
  });
  return command;
}

function finishGroup(group: Command, examples: readonly Example[]): Command {
  group.hook('preSubcommand', (_, subcommand) => loaders.get(subcommand)?.());
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

/** The command that words name, with the options among the words, and the other words. */
export async function openCommand(
  words: readonly string[],
  io: Io,
): Promise<{ readonly command: Command; readonly operands: readonly string[] }> {
  let command = createProgram(io, false, undefined, async () => {});
  let rest: string[] = toCommanderArguments(words);
  for (;;) {
    const { operands, unknown } = command.parseOptions(rest);
    const subcommand = command.commands.find((each) => each.name() === operands[0]);
    if (subcommand === undefined) return { command, operands };
    await loaders.get(subcommand)?.();
    rest = [...operands.slice(1), ...unknown];
    command = subcommand;
  }
}

/**
 * `svc help trigger` and `svc --help trigger` show that of a command. `svc --` stops Node 20
 * from reading options such as `--env-file`, which it does anywhere on the command line.
 */
export function toCommanderArguments(args: readonly string[]): string[] {
  const [first, ...rest] = args;
  if (first === '--') return toCommanderArguments(rest);
  return ['help', '--help', '-h'].includes(first ?? '') ? [...rest, '--help'] : [...args];
}
