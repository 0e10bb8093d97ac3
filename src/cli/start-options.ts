/** The options of the commands that boot an emulator: most of the settings. */
import { type Command, Option } from 'commander';
import { getDefaultValue, type Setting, type SettingName, settings, toOption } from '../config/settings.ts';

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

interface StartOptionsInput {
  readonly without?: readonly StartSetting[];
  /** Defaults of the command that differ from those of the settings. */
  readonly defaults?: Partial<Record<StartSetting, string>>;
}

/** The default depends on another option. */
const defaultTexts: Partial<Record<StartSetting, string>> = { db: '.svc/<environment>.db' };

/** The values of these options are text, which the configuration parses. */
export function addStartOptions(
  command: Command,
  { without = [], defaults = {} }: StartOptionsInput = {},
): Command {
  const names = (Object.keys(placeholders) as StartSetting[]).filter((name) => !without.includes(name));
  for (const name of names) {
    const placeholder = placeholders[name];
    const { description, schema }: Setting = settings[name];
    const flags = placeholder === null ? toOption(name) : `${toOption(name)} <${placeholder}>`;
    const option = new Option(flags, description);
    const shown = defaults[name] ?? defaultTexts[name] ?? getDefaultValue(name, 'sandbox');
    if (placeholder !== null && shown !== null && String(shown) !== '')
      option.default(undefined, String(shown));
    const words = schema.choices.flatMap((choice) => /^"([\w-]+)" \(/.exec(choice)?.[1] ?? []);
    // Only for the help and for completion: the configuration rejects other values.
    if (words.length > 0) option.argChoices = words;
    command.addOption(option);
  }
  return command;
}
