/** The options of the commands that start an emulator: most of the settings. */

import { Option } from 'commander';
import { type Setting, type SettingName, settings, toOption } from '../config/settings.ts';
import type { CliCommand } from './command.ts';

/** Placeholder of each value in the help; null for an option without a value. */
const placeholders = {
  port: 'port',
  host: 'address',
  db: 'file',
  seed: 'file',
  environment: 'name',
  profile: 'name',
  scheme: 'name',
  speed: 'n',
  freeze: null,
  forwardTo: 'url',
  events: 'list',
  ca: 'file',
  proxy: 'url',
  https: null,
  allowHost: 'list',
  publicUrl: 'url',
  tunnel: null,
  keepDays: 'n',
  keepRequests: 'n',
  keepMegabytes: 'n',
  randomSeed: 'n',
  wallClock: 'time',
  envFile: 'file',
  open: null,
} as const satisfies Partial<Record<SettingName, string | null>>;

type StartSetting = keyof typeof placeholders;

/**
 * Adds the options. Their values stay text, which the configuration parses.
 * @param exclude settings that the command has no options for
 * @param defaults defaults of the command that differ from those of the settings
 */
export function addStartOptions(
  command: CliCommand,
  exclude: readonly StartSetting[] = [],
  defaults: Partial<Record<StartSetting, string>> = {},
): CliCommand {
  const names = (Object.keys(placeholders) as StartSetting[]).filter((name) => !exclude.includes(name));
  for (const name of names) {
    const placeholder = placeholders[name];
    const { description, schema, defaultValue }: Setting = settings[name];
    const flags = placeholder === null ? toOption(name) : `${toOption(name)} <${placeholder}>`;
    const option = new Option(name === 'events' ? `-e, ${flags}` : flags, description);
    const defaultText = String(defaults[name] ?? defaultValue ?? '');
    if (placeholder !== null && defaultText !== '') option.default(undefined, defaultText);
    // Only for the help and for completion: the configuration rejects other values.
    if ('options' in schema) option.argChoices = schema.options as string[];
    command.addOption(option);
  }
  return command;
}
