/** The commands as commander definitions with their options and arguments, without running them. */
import { type AnyCommand, CliCommand, type Commands, loadEntry } from '../../src/cli/command.ts';
import { commandTree } from '../../src/cli/command-tree.ts';
import type { Context } from '../../src/cli/context.ts';
import { addGlobalOptions } from '../../src/cli/global-options.ts';

/** Every command by its full name, such as `deliveries list`. */
export const commandsByName: Record<string, AnyCommand> = {};

async function load(commands: Commands, prefix = ''): Promise<void> {
  for (const [name, entry] of Object.entries(commands)) {
    const loaded = await loadEntry(entry);
    if ('commands' in loaded) await load(loaded.commands, `${prefix}${name} `);
    else commandsByName[`${prefix}${name}`] = loaded;
  }
}
await load(commandTree);

/** Loads a command with its own options, or with the global ones as well. */
export async function loadCommand(name: string, { global = false } = {}): Promise<CliCommand> {
  const command = new CliCommand(name).exitOverride();
  (commandsByName[name] ?? throwUnknown(name)).configure?.(command);
  return global ? addGlobalOptions(command) : command;
}

/** All flags of a command, long and short. */
export async function listFlags(name: string, options?: { global?: boolean }): Promise<string[]> {
  const command = await loadCommand(name, options);
  return command.options.flatMap(({ long, short }) => [long, short].filter((flag) => flag != null));
}

/** Runs a command with the values of its options and arguments. */
export async function runCommand(name: string, options: object, context: Context): Promise<void> {
  await (commandsByName[name] ?? throwUnknown(name)).run(options as never, context);
}

function throwUnknown(name: string): never {
  throw new Error(`The command svc ${name} does not exist.`);
}
