/** Options that every command accepts, before or after its name. */
import { type Command, Option } from 'commander';
import { RowArgument } from './command.ts';
import type { GlobalOptions } from './context.ts';

const GLOBAL_OPTIONS_HEADING = 'Global options:';

const globalOptions: readonly (readonly [flags: string, description: string, defaultText?: string])[] = [
  ['--json', 'Print JSON; a stream prints one object per line'],
  ['--no-color', 'Print without colors'],
  ['--url <url>', 'Emulator to use', 'SVC_CONTROL_URL, or the emulator for this folder'],
  ['--api-key <key>', 'API key to use', 'SVC_API_KEY, or the key that the emulator created at startup'],
];

export const helpOption = new Option('-h, --help', 'Show this help').helpGroup(GLOBAL_OPTIONS_HEADING);

/** Adds them to a command. Call it after `configure`, because an option of the command with the same name wins. */
export function addGlobalOptions<AnyCommand extends Command>(command: AnyCommand): AnyCommand {
  for (const [flags, description, defaultText] of globalOptions) {
    const option = new Option(flags, description).helpGroup(GLOBAL_OPTIONS_HEADING);
    if (defaultText !== undefined) option.default(undefined, defaultText);
    if (!command.options.some(({ long }) => long === option.long)) command.addOption(option);
  }
  return command;
}

/** The global options on the command line. One after the command wins over one before it. */
export function readGlobalOptions(command: Command): GlobalOptions {
  const values = command.options
    .filter((option) => isGlobal(option) && command.getOptionValueSource(option.attributeName()) === 'cli')
    .map((option) => [option.attributeName(), command.getOptionValue(option.attributeName())]);
  return { ...(command.parent ? readGlobalOptions(command.parent) : {}), ...Object.fromEntries(values) };
}

/** The command's own options and arguments by name. */
export function readOwnOptions(command: Command): object {
  const options = command.options
    .filter((option) => !isGlobal(option))
    .map((option) => [option.attributeName(), command.getOptionValue(option.attributeName())]);
  const args = command.registeredArguments.map((argument, index) => [
    argument instanceof RowArgument ? argument.field : argument.name(),
    command.processedArgs[index],
  ]);
  return Object.fromEntries([...options, ...args].filter(([, value]) => value !== undefined));
}

function isGlobal(option: Option): boolean {
  return option.helpGroupHeading === GLOBAL_OPTIONS_HEADING;
}
