/** Options that every command accepts, before or after its name. */
import { type Command, Option } from 'commander';
import type { GlobalOptions } from './context.ts';

const HEADING = 'Global options:';

const flags: readonly (readonly [flags: string, description: string])[] = [
  ['--json', 'Print JSON; a stream prints one object per line'],
  ['--no-color', 'Print without colors'],
  ['--url <url>', 'Emulator to use (default: SVC_CONTROL_URL, or the emulator of this folder)'],
  ['--api-key <key>', 'API key to use (default: SVC_API_KEY, or the key created at the start)'],
];

/** Adds them to a command that has its own options already. An option of the command with the same name wins. */
export function addGlobalOptions(command: Command): Command {
  return flags
    .map(([text, description]) => new Option(text, description).helpGroup(HEADING))
    .filter(({ long }) => !command.options.some((own) => own.long === long))
    .reduce((extended, option) => extended.addOption(option), command);
}

/** Global options given to the command or to a parent; the nearest one wins. */
export function readGlobalOptions(command: Command): GlobalOptions {
  const given = command.options
    .filter((option) => isGlobal(option) && command.getOptionValueSource(option.attributeName()) === 'cli')
    .map((option) => [option.attributeName(), command.getOptionValue(option.attributeName())]);
  return { ...(command.parent ? readGlobalOptions(command.parent) : {}), ...Object.fromEntries(given) };
}

/** The command's own options and arguments by name. */
export function readOwnOptions(command: Command): object {
  const options = command.options
    .filter((option) => !isGlobal(option))
    .map((option) => [option.attributeName(), command.getOptionValue(option.attributeName())]);
  const args = command.registeredArguments.map((argument, index) => [
    argument.name(),
    command.processedArgs[index],
  ]);
  return Object.fromEntries([...options, ...args].filter(([, value]) => value !== undefined));
}

export function isGlobal(option: Option): boolean {
  return option.helpGroupHeading === HEADING;
}
