/** The options of the commands that start an emulator: most of the settings. */

import { type Setting, type SettingName, settings, toOption } from '../config/settings.ts';
import type { OptionRow } from './command.ts';

/** The settings under each heading of the help, with the placeholder of the value; null for an option without a value. */
const groups = {
  'Options:': {
    environment: 'name',
    profile: 'name',
    sender: 'name',
    randomSeed: 'n',
    envFile: 'file',
    open: null,
  },
  'Data:': { db: 'file', seed: 'file' },
  'Clock:': { speed: 'n', freeze: null, wallClock: 'time' },
  'Receiver:': { forwardTo: 'url', events: 'list', ca: 'file', proxy: 'url' },
  'Network:': {
    port: 'port',
    host: 'address',
    https: null,
    allowHost: 'list',
    publicUrl: 'url',
    tunnel: null,
  },
  'Limits:': { keepDays: 'n', keepMegabytes: 'n' },
} as const satisfies Record<string, Partial<Record<SettingName, string | null>>>;

type Groups = typeof groups;
type StartSetting = { [Group in keyof Groups]: keyof Groups[Group] }[keyof Groups];
/** The values are text, which the configuration parses. */
type StartRow = OptionRow & { readonly parse: (text: string, previous?: string) => string };

/** Collects repeated options into one list. */
function joinLists(text: string, previous?: string): string {
  return previous === undefined ? text : `${previous},${text}`;
}

/** @param defaults defaults of the command that differ from those of the settings */
export function startRows(
  defaults: Partial<Record<StartSetting, string>> = {},
): Readonly<Record<Exclude<StartSetting, 'envFile'> | 'writeEnv', StartRow>> {
  const rows = Object.entries(groups).flatMap(([group, placeholders]) =>
    Object.entries(placeholders).map(([name, placeholder]) => {
      const setting = name as StartSetting;
      const { option = name } = settings[setting] as Setting;
      return [option, createRow(setting, placeholder, group, defaults)];
    }),
  );
  return Object.fromEntries(rows);
}

function createRow(
  name: StartSetting,
  placeholder: string | null,
  group: string,
  defaults: Partial<Record<StartSetting, string>>,
): StartRow {
  const { description, schema, defaultValue }: Setting = settings[name];
  const flags = placeholder === null ? toOption(name) : `${toOption(name)} <${placeholder}>`;
  const defaultText = String(defaults[name] ?? defaultValue ?? '');
  return {
    option: name === 'events' ? `-e, ${flags}` : flags,
    summary: description,
    parse: placeholder === 'list' ? joinLists : String,
    group,
    ...('options' in schema && { choices: schema.options as string[] }),
    ...(placeholder !== null && defaultText !== '' && { defaultText }),
  };
}
