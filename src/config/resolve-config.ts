/** Resolves the configuration: option, then `SVC_*` variable, then file, then default. Each value has its source. */
import { basename, dirname, resolve } from 'node:path';
import { type Environment, maskSecret } from '../domain/credentials.ts';
import {
  fromText,
  parseConfigured,
  toSnakeCase,
  unknownFieldError,
  type ValueLocation,
} from '../resources/configured-value.ts';
import { findConfigFile, isModule, readConfigFile } from './config-file.ts';
import { type CustomSenders, checkSender } from './custom-senders.ts';
import {
  type ConfigValues,
  getDefaultValue,
  type Setting,
  type SettingName,
  settingNames,
  settings,
  toOption,
  toVariable,
} from './settings.ts';

interface ConfigInput {
  /** Command-line options by the camelCase name that Commander gives them (`randomSeed`); unknown names are ignored. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Folder in which the search for the configuration file starts; it ends at the project root. */
  readonly cwd: string;
  /** Ignores the settings of a configuration file that is code, so that it is not executed. */
  readonly skipModules?: boolean;
}

export interface ValueSource {
  readonly kind: 'flag' | 'variable' | 'file' | 'default';
  /** `--port`, `SVC_PORT`, the path of the file, or `default`. */
  readonly name: string;
}

export interface Config {
  readonly values: ConfigValues;
  readonly sources: Readonly<Record<SettingName, ValueSource>>;
  /** Path of the configuration file; null if none exists. */
  readonly file: string | null;
  /** The values of the file as they are written, by the names of their fields. */
  readonly fileValues: Readonly<Record<string, unknown>>;
  /** Folder of the configuration file, otherwise the working folder. `.svc/` is in it. */
  readonly projectFolder: string;
}

/** A value as it was set, not yet validated. */
interface ConfiguredValue {
  readonly value: unknown;
  readonly source: ValueSource;
  readonly valueLocation: ValueLocation;
  /** The folder that relative paths refer to. */
  readonly folder: string;
}

/**
 * Resolves every setting.
 * @throws SvcError `usage` if the configuration file cannot be read; `untrusted_file` if another user can change it;
 *   `validation_failed` for an invalid value, with its source and what is accepted.
 */
export async function resolveConfig(input: ConfigInput): Promise<Config> {
  const file = findConfigFile(input);
  const isSkipped = file === null || (input.skipModules === true && isModule(file));
  const fileValues = isSkipped ? {} : await readConfigFile(file);
  if (file !== null) checkFieldNames(fileValues, file);
  const projectFolder = file === null ? resolve(input.cwd) : dirname(file);

  const values: Partial<Record<SettingName, unknown>> = {};
  const sources: Partial<Record<SettingName, ValueSource>> = {};
  for (const name of settingNames) {
    const configured = findConfiguredValue(name, input, fileValues, file);
    // `environment` is the first setting, because the defaults of others depend on it.
    const environment = values.environment as Environment;
    const { schema, isPath, isSecret }: Setting = settings[name];
    const value = configured
      ? parseConfigured(schema, configured.value, { ...configured.valueLocation, isSecret })
      : getDefaultValue(name, environment);
    if (configured && name === 'sender')
      checkSender(value as string, values.senders as CustomSenders, configured.valueLocation);
    values[name] = isPath ? toAbsolute(value, configured?.folder ?? projectFolder) : value;
    sources[name] = configured?.source ?? { kind: 'default', name: 'default' };
  }
  return {
    values: values as ConfigValues,
    sources: sources as Config['sources'],
    file,
    fileValues,
    projectFolder,
  };
}

/** One line of `svc config`. The names are those of the JSON output. */
interface ConfigEntry {
  /** The name in the configuration file. */
  readonly setting: string;
  /** Secrets are masked. */
  readonly value: unknown;
  readonly source: ValueSource['kind'];
  readonly from: string;
  readonly description: string;
}

export function listConfig({ values, sources, fileValues }: Config): ConfigEntry[] {
  return settingNames.map((name) => {
    const { description, isSecret, isFileOnly }: Setting = settings[name];
    const value = (isFileOnly && fileValues[toSnakeCase(name)]) || values[name];
    return {
      setting: toSnakeCase(name),
      value: typeof value !== 'string' ? value : isSecret ? maskSecret(value) : maskUrl(value),
      source: sources[name].kind,
      from: sources[name].name,
      description,
    };
  });
}

/** Masks a password or a token in a URL: `http://me:…@proxy:3128`, `http://192.168.1.5:4777/?token=…`. */
function maskUrl(text: string): string {
  return text.replace(/(?<=^\w+:\/\/[^/@]*:)[^/]*(?=@)|(?<=[?&]token=)[^&#]*/, '…');
}

function findConfiguredValue(
  name: SettingName,
  { options, env, cwd }: ConfigInput,
  fileValues: Readonly<Record<string, unknown>>,
  file: string | null,
): ConfiguredValue | null {
  const { schema, option = name, isFileOnly }: Setting = settings[name];
  const parseText = (value: unknown) => (typeof value === 'string' ? fromText(schema, value) : value);

  const optionValue = options[option];
  if (!isFileOnly && optionValue !== undefined) {
    const optionName = toOption(name);
    return {
      value: parseText(optionValue),
      source: { kind: 'flag', name: optionName },
      valueLocation: { path: optionName, toHint: (expected) => `Pass ${expected}.` },
      folder: cwd,
    };
  }
  const variable = toVariable(name);
  // An empty variable is treated as unset: `SVC_PROFILE= svc …` unsets it for a single command in a shell.
  if (!isFileOnly && env[variable]) {
    return {
      value: parseText(env[variable]),
      source: { kind: 'variable', name: variable },
      valueLocation: {
        path: variable,
        toHint: (expected) => ({ text: `Set it to ${expected}, or remove it`, command: `unset ${variable}` }),
      },
      folder: cwd,
    };
  }
  const field = toSnakeCase(name);
  if (file === null || !Object.hasOwn(fileValues, field)) return null;
  return {
    value: fileValues[field],
    source: { kind: 'file', name: file },
    valueLocation: {
      path: field,
      file: basename(file),
      toHint: (expected) => `Set it to ${expected} in ${file}.`,
    },
    folder: dirname(file),
  };
}

function toAbsolute(path: unknown, folder: string): unknown {
  return typeof path === 'string' && path !== ':memory:' ? resolve(folder, path) : path;
}

function checkFieldNames(fileValues: Readonly<Record<string, unknown>>, file: string): void {
  const fieldNames = settingNames.map(toSnakeCase);
  for (const name of Object.keys(fileValues)) {
    if (!fieldNames.includes(name)) throw unknownFieldError(name, fieldNames, file);
  }
}
