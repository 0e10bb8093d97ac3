/** The commands as commander definitions with their options and arguments, without running them. */
import { CliCommand } from '../../src/cli/command.ts';
import { type CommandEntry, type CommandGroup, commandTree } from '../../src/cli/command-tree.ts';
import { addGlobalOptions } from '../../src/cli/global-options.ts';

/** Every command by its full name, such as `deliveries list`. */
export const commandsByName: Readonly<Record<string, CommandEntry>> = Object.fromEntries(
  Object.entries(commandTree).flatMap(([name, entry]) => listLeaves(name, entry)),
);

function listLeaves(name: string, entry: CommandEntry | CommandGroup): [string, CommandEntry][] {
  if (!('subcommands' in entry)) return [[name, entry]];
  return Object.entries(entry.subcommands).flatMap(([verb, below]) => listLeaves(`${name} ${verb}`, below));
}

/** Loads a command with its own options, or with the global ones as well. */
export async function loadCommand(name: string, { global = false } = {}): Promise<CliCommand> {
  const command = new CliCommand(name).exitOverride();
  const definition = await (commandsByName[name] ?? throwUnknown(name)).load();
  definition.configure?.(command);
  return global ? addGlobalOptions(command) : command;
}

/** All flags of a command, long and short. */
export async function listFlags(name: string, options?: { global?: boolean }): Promise<string[]> {
  const command = await loadCommand(name, options);
  return command.options.flatMap(({ long, short }) => [long, short].filter((flag) => flag != null));
}

function throwUnknown(name: string): never {
  throw new Error(`The command svc ${name} does not exist.`);
}
