/** The parts of a command. The command tree loads the file of a command when it is needed. */
import { Argument, Command, Option } from 'commander';
import type * as v from 'valibot';
import type { IdKind } from '../domain/ids.ts';
import type { ChoiceSource } from './choices/choice-source.ts';
import type { Context } from './context.ts';
import {
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

export interface CommandGroup {
  readonly commands: Commands;
  /** The command that runs if none is named. */
  readonly defaultCommand?: string;
}

/** Each command has its own type of options. `never` accepts all of them, but `run` can then be called only with a cast. */
export type AnyCommand = CommandDefinition<never>;

/** The file of a command or a group is loaded when one of its commands is needed. */
export interface LateCommand {
  readonly load: () => Promise<{ readonly command: AnyCommand | CommandGroup }>;
}

/** @property summary imperative phrase with a noun */
export type CommandEntry = { readonly summary: string } & (AnyCommand | CommandGroup | LateCommand);
export type Commands = Readonly<Record<string, CommandEntry>>;

/** Loads the file of a command or a group, unless it is the one that has the entry. */
export async function loadEntry(entry: CommandEntry): Promise<AnyCommand | CommandGroup> {
  return 'load' in entry ? (await entry.load()).command : entry;
}

/**
 * An option or an argument of a command. The parser of the command line, the help, completion and prompts read it. Fields and
 * filters of resources are such rows too.
 */
export interface OptionRow {
  /** The flags of an option, such as `-e, --events <list>`. A row with neither flags nor an argument is not on the command line. */
  readonly option?: string;
  /** An argument: `<id>`, which the command asks for in a terminal, `[id]` or `[ids...]`. */
  readonly argument?: string;
  readonly summary: string;
  /** The text in the help, if the summary does not fit. */
  readonly optionSummary?: string;
  /** Of the value. Its parser and its choices follow from it. */
  readonly schema?: v.GenericSchema;
  /** Reads the value, if people write it in another form than the schema accepts. `previous` is that of a repeated option. */
  readonly parse?: ((text: string, previous?: never) => unknown) | undefined;
  readonly choices?: readonly string[];
  /** The resource whose ID the value is, if it has no schema. */
  readonly idKind?: IdKind;
  /** What completion suggests and a prompt shows, if it does not follow from the schema or the name. */
  readonly source?: ChoiceSource;
  readonly defaultText?: string;
  /** Its value if it is not on the command line (default: none). */
  readonly getDefault?: (context: Context, options: never) => Promise<unknown>;
  /** Whether the command asks for an option that is missing. */
  readonly ask?: true;
  /** Whether `--no-…` sets the default of an option, with the value false. */
  readonly negatable?: true;
  /** The rows that cannot be used together with it. */
  readonly conflicts?: readonly string[];
  /** The row without which it has no effect. */
  readonly needs?: string;
  /** The heading above the option in the help, such as `Clock:` (default: `Options:`). */
  readonly group?: string;
  readonly isHidden?: true;
}

export class RowOption extends Option {
  readonly row: OptionRow;
  readonly field: string;

  constructor(field: string, flags: string, text: string, row: OptionRow) {
    super(flags, text);
    this.field = field;
    this.row = row;
  }

  /** Options have the names of their rows, so that a command can pass them on unchanged. */
  override attributeName(): string {
    return this.field;
  }
}

/** Commander does not require it, because the command asks for a missing one in a terminal. */
export class RowArgument extends Argument {
  readonly row: OptionRow;
  readonly field: string;

  constructor(field: string, argument: string, row: OptionRow) {
    super(argument.replace(/^<(.*)>$/, '[$1]'), row.summary);
    this.field = field;
    this.row = row;
  }
}

export function isShownAsRequired(argument: Argument): boolean {
  return argument instanceof RowArgument && argument.row.argument?.startsWith('<') === true;
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

  optionMissingArgument(option: Option): never {
    throw createMissingValueError(option);
  }

  _excessArguments(): never {
    throw createTooManyArgumentsError(this);
  }
}
