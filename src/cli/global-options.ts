/** Options that every command takes, before the command's name or after it. */
import { type Command, Option } from 'commander';
import type { GlobalOptions } from './context.ts';

const HEADING = 'Global options:';

const flags: readonly (readonly [flags: string, description: string])[] = [
  ['--json', 'print JSON; a stream prints one object a line'],
  ['--no-color', 'print without colours'],
  ['--url <url>', 'the emulator to talk to; otherwise SVC_CONTROL_URL, or the one of this folder'],
  ['--api-key <key>', 'the API key to use; otherwise SVC_API_KEY, or the one made at boot'],
];

/** Adds them to a command that has its own options already; a name that means something else there keeps that meaning. */
export function addGlobalOptions(command: Command): Command {
  return flags
    .map(([text, description]) => new Option(text, description).helpGroup(HEADING))
    .filter(({ long }) => !command.options.some((own) => own.long === long))
    .reduce((extended, option) => extended.addOption(option), command);
}

/** Those given to the command or to one above it; the nearest counts. */
export function readGlobalOptions(command: Command): GlobalOptions {
  const given = command.options
    .filter((option) => isGlobal(option) && command.getOptionValueSource(option.attributeName()) === 'cli')
    .map((option) => [option.attributeName(), command.getOptionValue(option.attributeName())]);
  return { ...(command.parent ? readGlobalOptions(command.parent) : {}), ...Object.fromEntries(given) };
}

/** The command's own options and its arguments, by their names. */
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
