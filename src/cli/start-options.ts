/** The options of the commands that start an emulator: most of the settings. */

import { type Setting, type SettingName, settings, toOption } from '../config/settings.ts';
import type { OptionRow } from './command.ts';

/** Placeholder of each value in the help; null for an option without a value. */
const placeholders = {
  port: 'port',
  host: 'address',
  db: 'file',
  seed: 'file',
  environment: 'name',
  profile: 'name',
  sender: 'name',
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
  keepMegabytes: 'n',
  randomSeed: 'n',
  wallClock: 'time',
  envFile: 'file',
  open: null,
} as const satisfies Partial<Record<SettingName, string | null>>;

type StartSetting = keyof typeof placeholders;
type OptionName = Exclude<StartSetting, 'envFile'> | 'writeEnv';
/** The values are text, which the configuration parses. */
type StartRow = OptionRow & { readonly parse: (text: string) => string };

/** @param defaults defaults of the command that differ from those of the settings */
export function startRows(
  defaults: Partial<Record<StartSetting, string>> = {},
): Readonly<Record<OptionName, StartRow>> {
  const rows = Object.entries(placeholders).map(([name, placeholder]) => {
    const setting = name as StartSetting;
    const { description, schema, defaultValue, option = name }: Setting = settings[setting];
    const flags = placeholder === null ? toOption(setting) : `${toOption(setting)} <${placeholder}>`;
    const defaultText = String(defaults[setting] ?? defaultValue ?? '');
    const row: StartRow = {
      option: setting === 'events' ? `-e, ${flags}` : flags,
      summary: description,
      parse: String,
      ...('options' in schema && { choices: schema.options as string[] }),
      ...(placeholder !== null && defaultText !== '' && { defaultText }),
    };
    return [option, row];
  });
  return Object.fromEntries(rows);
}
