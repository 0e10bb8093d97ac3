/** What the commands that boot an emulator have in common: which of the settings are their options. */
import type { Command } from 'commander';
import { type SettingName, settings, toOption } from '../config/settings.ts';

/** What stands for the value of a setting in the help; null for one that is only set or not. */
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
  cert: 'file',
  key: 'file',
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

/** Their values are text; the configuration reads them. */
export function addStartOptions(
  command: Command,
  { without = [] }: { without?: readonly StartSetting[] } = {},
): Command {
  const names = (Object.keys(placeholders) as StartSetting[]).filter((name) => !without.includes(name));
  for (const name of names) {
    const value = placeholders[name];
    const flags = value === null ? toOption(name) : `${toOption(name)} <${value}>`;
    command.option(flags, settings[name].description);
  }
  return command;
}
