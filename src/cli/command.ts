/** The parts of a command. The command tree loads the file of a command when it is needed. */
import { Argument, Command, Option } from 'commander';
import type { Context } from './context.ts';

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

export class CliCommand extends Command {
  override createCommand(name?: string): CliCommand {
    return new CliCommand(name);
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

/** An argument that the help shows as required. Without it, the command asks in a terminal, so commander must not reject that. */
export class AskedArgument extends Argument {
  constructor(name: string, description: string) {
    super(`[${name}]`, description);
  }
}

/** Whether the help shows the argument as required. */
export function isShownAsRequired(argument: Argument): boolean {
  return argument.required || argument instanceof AskedArgument;
}
