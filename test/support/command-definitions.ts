/** The commands as commander knows them, options and arguments added, none of them run. */
import { Command } from 'commander';
import { type CommandEntry, type CommandGroup, commandTree } from '../../src/cli/command-tree.ts';
import { addGlobalOptions } from '../../src/cli/global-options.ts';

/** Every command of the catalogue by its full name, such as `deliveries list`. */
export const commandsByName: Readonly<Record<string, CommandEntry>> = Object.fromEntries(
  Object.entries(commandTree).flatMap(([name, entry]) => listLeaves(name, entry)),
);

function listLeaves(name: string, entry: CommandEntry | CommandGroup): [string, CommandEntry][] {
  if (!('subcommands' in entry)) return [[name, entry]];
  return Object.entries(entry.subcommands).flatMap(([verb, below]) => listLeaves(`${name} ${verb}`, below));
}

/** A command with its own options alone, or with the global ones as well. */
export async function loadCommand(name: string, { global = false } = {}): Promise<Command> {
  const command = new Command(name).exitOverride();
  const definition = await (commandsByName[name] ?? unknown(name)).load();
  definition.configure?.(command);
  return global ? addGlobalOptions(command) : command;
}

/** `--data` and `-d` of every option of a command. */
export async function listFlags(name: string, which?: { global?: boolean }): Promise<string[]> {
  const { options } = await loadCommand(name, which);
  return options.flatMap(({ long, short }) => [long, short].filter((flag) => flag != null));
}

function unknown(name: string): never {
  throw new Error(`There is no command svc ${name}.`);
}
