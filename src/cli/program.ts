/** The command line as commander sees it. A command gets its options when it is named, from a file that is loaded then. */
import { Command, CommanderError } from 'commander';
import { ExitCode, SvcError } from '../errors.ts';
import { VERSION } from '../version.ts';
import type { CommandDefinition } from './command.ts';
import { type CommandEntry, type CommandGroup, commandTree } from './command-tree.ts';
import { COMPLETE_COMMAND } from './completion/protocol.ts';
import { createContext, type Host } from './context.ts';
import { addGlobalOptions, readGlobalOptions, readOwnOptions } from './global-options.ts';
import { reportError } from './report-error.ts';

const HELP_WIDTH = 110;

/** Runs one command line (without program and script) to its end, errors reported. */
export async function runCommandLine(args: readonly string[], host: Host): Promise<number> {
  // Asked of the text itself, because an error of parsing has to be told in that form too.
  const json = hasFlag(args, '--json');
  let exitCode: number = ExitCode.success;
  const program = createProgram(host, json, async (command, definition) => {
    const context = createContext(host, readGlobalOptions(command));
    // The definition's own parsers made these options; only its file knows their type.
    exitCode = (await definition.run(readOwnOptions(command) as never, context)) ?? ExitCode.success;
  });
  try {
    const words = toCommanderArguments(args);
    if (words[0] === COMPLETE_COMMAND) return await printCompletions(words.slice(1), host);
    await program.parseAsync(words, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return ExitCode.success;
    return reportError(toUsageError(error), host.io, json);
  }
}

/** Whether a flag that every command takes is among the words; what follows a lone `--` is not ours. */
export function hasFlag(args: readonly string[], flag: string): boolean {
  const end = args.indexOf('--', 1);
  return args.slice(0, end < 0 ? args.length : end).includes(flag);
}

/**
 * `svc` alone shows the help, and so does `svc help trigger`. After `svc --` Node 20 takes no option for itself, such
 * as `--env-file`, which it does wherever that stands.
 */
function toCommanderArguments(args: readonly string[]): string[] {
  const [first, ...rest] = args;
  if (first === undefined) return ['--help'];
  if (first === '--') return toCommanderArguments(rest);
  return first === 'help' ? [...rest, '--help'] : [...args];
}

/** What the completion scripts of the shells ask; no command for people. */
async function printCompletions(words: readonly string[], host: Host): Promise<ExitCode> {
  const { complete } = await import('./completion/complete.ts');
  const lines = await complete(words, host);
  if (lines.length > 0) host.io.write(lines.join('\n'));
  return ExitCode.success;
}

type RunCommand = (command: Command, definition: CommandDefinition<never>) => Promise<void>;

function createProgram({ io }: Host, json: boolean, act: RunCommand): Command {
  const program = new Command('svc')
    .description('A local emulator of the Workspace Events and Webhooks API.')
    .version(VERSION, '-V, --version', 'show the version')
    .exitOverride()
    .enablePositionalOptions()
    .helpOption('-h, --help', 'show this help')
    .configureHelp({ helpWidth: Math.min(io.width, HELP_WIDTH) })
    .configureOutput({
      writeOut: (text) => io.write(text),
      writeErr: (text) => json || io.note(text),
      // Errors are reported in one place, for people or as JSON.
      outputError: () => {},
    });
  finish(program, ['emulator start', 'trigger order.shipped --wait', 'deliveries tail']);
  for (const [name, entry] of Object.entries(commandTree)) addCommand(program, [name], entry, act);
  return program;
}

/** @param words of its full name, such as `deliveries list`. */
function addCommand(
  parent: Command,
  words: readonly string[],
  entry: CommandEntry | CommandGroup,
  act: RunCommand,
): void {
  // What was set on the parent holds for its commands too.
  const command = parent.command(words.at(-1) ?? '').description(entry.summary);
  if ('subcommands' in entry) {
    const verbs = Object.entries(entry.subcommands);
    for (const [verb, leaf] of verbs) addCommand(command, [...words, verb], leaf, act);
    finish(
      command,
      verbs.map(([verb]) => `${words.join(' ')} ${verb} --help`),
    );
    return;
  }
  parent.hook('preSubcommand', async (_, named) => {
    if (named !== command) return;
    const { command: definition } = await entry.load();
    definition.configure?.(command);
    finish(command, definition.examples).action(() => act(command, definition));
  });
}

/** What every command has after its own options. */
function finish(command: Command, examples: readonly string[]): Command {
  const lines = examples.map((example) => `\n  $ svc ${example}`);
  return addGlobalOptions(command.helpCommand(false)).addHelpText('after', `\nExamples:${lines.join('')}`);
}

/** What commander refuses is a usage error. Its message may end with a suggestion. */
function toUsageError(error: unknown): unknown {
  if (!(error instanceof CommanderError)) return error;
  // A group without a verb: its help was shown, which says more than an error could.
  const text =
    error.code === 'commander.help' ? 'Which of these commands?' : error.message.replace(/^error: /, '');
  const [message = text, suggestion] = text.split('\n');
  return new SvcError('usage', message, {
    hint: suggestion?.replace(/^\(|\)$/g, '') ?? 'Add --help to see what it takes.',
    cause: error,
  });
}
