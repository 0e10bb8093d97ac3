/** The command line as commander sees it. Leaves of the tree get their options when they are named. */
import { Command, CommanderError, Option } from 'commander';
import { ExitCode, SvcError } from '../errors.ts';
import { VERSION } from '../version.ts';
import { type CatalogueCommand, type CatalogueGroup, catalogue } from './catalogue.ts';
import type { CommandDefinition } from './command.ts';
import { type Context, createContext, type GlobalOptions, type Host } from './context.ts';
import { reportError } from './error-report.ts';

const HELP_WIDTH = 110;

/** Runs one command line (without program and script) to its end, errors reported. */
export async function runCommandLine(args: readonly string[], host: Host): Promise<ExitCode> {
  // Asked of the text itself, because an error of parsing has to be told in that form too.
  const json = args.includes('--json');
  try {
    const program = createProgram(host, json);
    await program.tree.parseAsync(toWords(args), { from: 'user' });
    return program.exitCode();
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return ExitCode.done;
    return reportError(toUsageError(error), host.io, json);
  }
}

/** `svc` alone shows the help, and so does `svc help trigger`. */
function toWords(args: readonly string[]): string[] {
  if (args.length === 0) return ['--help'];
  return args[0] === 'help' ? [...args.slice(1), '--help'] : [...args];
}

function createProgram(host: Host, json: boolean): { readonly tree: Command; exitCode(): ExitCode } {
  let exitCode: ExitCode = ExitCode.done;
  const definitions = new Map<Command, CatalogueCommand>();
  const tree = describe(configure(new Command('svc')));

  for (const [name, entry] of Object.entries(catalogue)) {
    const command = configure(tree.command(name)).description(entry.summary);
    if (!isGroup(entry)) definitions.set(command, entry);
    else {
      for (const [verb, leaf] of Object.entries(entry.verbs)) {
        definitions.set(configure(command.command(verb)).description(leaf.summary), leaf);
      }
      loadNamed(command);
    }
  }
  loadNamed(tree);
  return { tree, exitCode: () => exitCode };

  /** What every level of the tree has in common. */
  function configure(command: Command): Command {
    const helpWidth = Math.min(host.io.width, HELP_WIDTH);
    return command
      .enablePositionalOptions()
      .exitOverride()
      .helpCommand(false)
      .helpOption('-h, --help', 'show this help')
      .configureHelp({ helpWidth })
      .configureOutput({
        writeOut: (text) => host.io.write(text),
        writeErr: (text) => json || host.io.note(text),
        // Errors are reported in one place, for people or as JSON.
        outputError: () => {},
      });
  }

  function loadNamed(parent: Command): void {
    parent.hook('preSubcommand', async (_, command) => {
      const definition = await definitions.get(command)?.load();
      if (!definition) return;
      complete(command, definition.command, async (options, own) => {
        const context = createContext(host, { ...tree.opts<GlobalOptions>(), ...own });
        exitCode = (await run(definition.command, options, context)) ?? ExitCode.done;
      });
    });
  }
}

function isGroup(entry: CatalogueCommand | CatalogueGroup): entry is CatalogueGroup {
  return 'verbs' in entry;
}

const globalOptions: readonly (readonly [flags: string, description: string])[] = [
  ['--json', 'print JSON; a stream prints one object a line'],
  ['--no-color', 'print without colours'],
  ['--url <url>', 'the emulator to talk to; otherwise SVC_CONTROL_URL, or the one of this folder'],
  ['--api-key <key>', 'the API key to use; otherwise SVC_API_KEY, or the one made at boot'],
];

function describe(program: Command): Command {
  program
    .description('A local emulator of the Workspace Events and Webhooks API.')
    .version(VERSION, '-V, --version', 'show the version')
    .addHelpText('after', toExamples(['emulator start', 'trigger order.shipped --wait', 'deliveries tail']));
  addGlobalOptions(program);
  return program;
}

/** Adds them to the end of a command, but for those whose name means something else there, and returns their names. */
function addGlobalOptions(command: Command): string[] {
  const added = globalOptions
    .map(([flags, description]) => new Option(flags, description).helpGroup('Global options:'))
    .filter(({ long }) => !command.options.some((own) => own.long === long));
  for (const option of added) command.addOption(option);
  return added.map((option) => option.attributeName());
}

function complete(
  command: Command,
  definition: CommandDefinition<never>,
  act: (options: object, globals: object) => Promise<void>,
): void {
  definition.configure?.(command);
  const globals = addGlobalOptions(command);
  command.addHelpText('after', toExamples(definition.examples)).action(() => {
    const given = Object.entries(command.opts());
    const own = given.filter(([name]) => !globals.includes(name));
    const named = command.registeredArguments.map((argument, index) => [
      argument.name(),
      command.processedArgs[index],
    ]);
    return act(
      Object.fromEntries([...own, ...named]),
      Object.fromEntries(given.filter(([name]) => globals.includes(name))),
    );
  });
}

function toExamples(examples: readonly string[]): string {
  return `\nExamples:\n${examples.map((example) => `  $ svc ${example}`).join('\n')}`;
}

function run(
  definition: CommandDefinition<never>,
  options: object,
  context: Context,
): Promise<ExitCode> | Promise<void> {
  // The definition's own parsers made these options; only its file knows their type.
  return definition.run(options as never, context);
}

/** Commander's refusals are usage errors; its message may end with a suggestion. */
function toUsageError(error: unknown): unknown {
  if (!(error instanceof CommanderError)) return error;
  // A group without a verb: its help was shown, which says more than an error would.
  const text =
    error.code === 'commander.help' ? 'Which of these commands?' : error.message.replace(/^error: /, '');
  const [message = text, suggestion] = text.split('\n');
  return new SvcError('usage', message, {
    hint: suggestion?.replace(/^\(|\)$/g, '') ?? 'Add --help to see what it takes.',
    cause: error,
  });
}
