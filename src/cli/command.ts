/** What a command is made of. Its file is loaded when the command is named, not before. */
import type { Command } from 'commander';
import type { Context } from './context.ts';

/**
 * `Options` is what the command line is parsed into: the options by their names, and the arguments by theirs, in one
 * flat object. `run` acts on it and touches the outside only through the context, so that tests need no process.
 */
export interface CommandDefinition<Options> {
  /** Adds the arguments and options, with the parsers that make their values the types of `Options`. */
  readonly configure?: (command: Command) => void;
  /** Command lines without the leading `svc`; shown at the end of its help. */
  readonly examples: readonly string[];
  /**
   * Ends as done, or with an exit code: the one that says that the thing asked about is not so, or that of a program
   * that it has run.
   */
  readonly run:
    | ((options: Options, context: Context) => Promise<void>)
    | ((options: Options, context: Context) => Promise<number>);
}

/** Loads a command's file. What `Options` is there is the file's own matter. */
export type CommandLoader = () => Promise<{ readonly command: CommandDefinition<never> }>;
