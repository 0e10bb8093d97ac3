/** What a command consists of. Its file is loaded when the command is named. */
import type { Command } from 'commander';
import type { Context } from './context.ts';
import type { Example } from './help.ts';

/** The hidden command that the completion scripts call. */
export const COMPLETE_COMMAND = '__complete';

/**
 * `Options` has the parsed options and arguments by name, in one flat object. `run` uses only the context to reach
 * anything outside, so that tests need no process.
 */
export interface CommandDefinition<Options> {
  /** Adds the arguments and options, with parsers that return the types of `Options`. */
  readonly configure?: (command: Command) => void;
  readonly examples: readonly Example[];
  /** Returns the exit code; default: success. */
  readonly run:
    | ((options: Options, context: Context) => Promise<void>)
    | ((options: Options, context: Context) => Promise<number>);
}
