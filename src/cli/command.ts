/** The parts of a command. The command tree loads the file of a command when it is needed. */
import { Argument, Command, Option } from 'commander';
import type { Context } from './context.ts';
import type { ChoiceSource } from './prompt.ts';
import {
  createConflictError,
  createMissingArgumentError,
  createMissingOptionError,
  createMissingValueError,
  createTooManyArgumentsError,
  createUnknownCommandError,
  createUnknownOptionError,
} from './usage-error.ts';

/** What a command line is for, and the command line without the leading `svc`. */
export type Example = readonly [caption: string, commandLine: string];

/** The hidden command that the completion scripts call. */
export const COMPLETE_COMMAND = '__complete';

/**
 * `Options` has the parsed options and arguments by name, in one flat object. `run` gets streams, environment, working
 * folder, time and signals from the context and not from `process`, so that tests can run a command in their own process.
 */
export interface CommandDefinition<Options> {
  /** Adds the arguments and options, with parsers that return the types of `Options`. */
  readonly configure?: (command: CliCommand) => void;
  readonly examples: readonly Example[];
  /** Returns the exit code; default: success. */
  readonly run:
    | ((options: Options, context: Context) => Promise<void>)
    | ((options: Options, context: Context) => Promise<number>);
}

/** A group of commands, which {@link CommandGroup.commands} has by name. */
export interface CommandGroup {
  readonly examples: readonly Example[];
  readonly commands: Commands;
  /** The command that runs if none is named. */
  readonly defaultCommand?: string;
}

/** Each command has its own type of options. `never` accepts all of them, but `run` can then be called only with a cast. */
export type AnyCommand = CommandDefinition<never>;

/** The file of a command or a group is loaded when one of its commands is needed. */
export interface LateCommand {
  readonly load: () => Promise<AnyCommand | CommandGroup>;
}

/** @property summary imperative phrase with a noun */
export type CommandEntry = { readonly summary: string } & (AnyCommand | CommandGroup | LateCommand);
export type Commands = Readonly<Record<string, CommandEntry>>;

/** Loads the file of a command or a group, unless it is the one that has the entry. */
export async function loadEntry(entry: CommandEntry): Promise<AnyCommand | CommandGroup> {
  return 'load' in entry ? entry.load() : entry;
}

export class CliCommand extends Command {
  override createCommand(name?: string): CliCommand {
    return new CliCommand(name);
  }

  // Commander calls these methods for a mistake on the command line. Its own have only an English message.

  unknownCommand(): never {
    throw createUnknownCommandError(this, this.args[0] ?? '');
  }

  unknownOption(flag: string): never {
    throw createUnknownOptionError(this, flag);
  }

  missingArgument(name: string): never {
    throw createMissingArgumentError(this, name);
  }

  optionMissingArgument(option: Option): never {
    throw createMissingValueError(option);
  }

  missingMandatoryOptionValue(option: Option): never {
    throw createMissingOptionError(option);
  }

  _excessArguments(): never {
    throw createTooManyArgumentsError(this);
  }

  _conflictingOption(option: Option, other: Option): never {
    throw createConflictError(option, other);
  }

  /** Adds an option whose default is text for the help, because something else decides the value. */
  optionWithDefault<Value>(
    flags: string,
    description: string,
    defaultText: string,
    parser?: (text: string, previous: Value) => Value,
  ): this {
    const option = new Option(flags, description).default(undefined, defaultText);
    return this.addOption(parser === undefined ? option : option.argParser(parser));
  }
}

/** An argument whose values completion suggests. */
export class ChosenArgument extends Argument {
  readonly sources: readonly ChoiceSource[];
  /** The name of its value in the options of the command. */
  readonly field: string;

  constructor(flags: string, description: string, sources: readonly ChoiceSource[] = [], field?: string) {
    super(flags, description);
    this.sources = sources;
    this.field = field ?? this.name();
  }
}

/** An argument that the help shows as required. Without it, the command asks in a terminal, so commander must not reject that. */
export class AskedArgument extends ChosenArgument {
  constructor(name: string, description: string, source?: ChoiceSource, field?: string) {
    super(`[${name}]`, description, source && [source], field);
  }
}

/** Whether the help shows the argument as required. */
export function isShownAsRequired(argument: Argument): boolean {
  return argument.required || argument instanceof AskedArgument;
}
