/** The environment variables that connect a program to an emulator, and files of them such as `.env.local`. */

import { isUtf8 } from 'node:buffer';
import { accessSync, appendFileSync, chmodSync, constants, existsSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { EmulatorStatus } from '../contract/emulator-schemas.ts';
import { quoteForShell } from '../domain/shell.ts';
import { SvcError } from '../errors.ts';
import { assertRegularFile, RefusedFileError, readRegularFile } from '../read-regular-file.ts';
import { createWriteError } from './file-access.ts';
import { readStatusValue } from './status-values.ts';

export type EnvVariables = Readonly<Record<string, string>>;

/**
 * @param certificate path of the self-signed certificate that clients must trust
 * @throws SvcError `validation_failed` for an invalid value, because the emulator can be a remote one
 */
export function toEnvVariables(status: EmulatorStatus, certificate: string | null): EnvVariables {
  const read = (name: Parameters<typeof readStatusValue>[0]) => readStatusValue(name, status[name]);
  return {
    SVC_BASE_URL: read('base_url'),
    SVC_API_KEY: read('api_key'),
    SVC_WORKSPACE_ID: read('workspace_id'),
    SVC_CONTROL_URL: read('control_url'),
    ...(status.control_token === undefined ? {} : { SVC_CONTROL_TOKEN: read('control_token') }),
    ...(status.webhook_secret === undefined ? {} : { SVC_WEBHOOK_SECRET: read('webhook_secret') }),
    ...(certificate === null ? {} : { NODE_EXTRA_CA_CERTS: certificate }),
  };
}

export const variableFormats = ['export', 'dotenv', 'json', 'github'] as const;
export type VariableFormat = (typeof variableFormats)[number];

/**
 * `github` is for `>> "$GITHUB_ENV"`.
 * @throws SvcError `usage` for a value that the format cannot hold on one line.
 */
export function renderVariables(variables: EnvVariables, format: VariableFormat): string {
  if (format === 'json') return JSON.stringify(variables, null, 2);
  return Object.entries(variables)
    .map(([name, value]) => lineWriters[format](name, value))
    .join('\n');
}

const lineWriters: Readonly<
  Record<Exclude<VariableFormat, 'json'>, (name: string, value: string) => string>
> = {
  export: (name, value) => `export ${name}=${quoteForShell(rejectControlCharacters(name, value))}`,
  // GitHub reads everything up to the end of the line, without quotes or escapes.
  github: (name, value) => `${name}=${rejectControlCharacters(name, value)}`,
  dotenv: (name, value) => `${name}=${quoteForDotenv(name, rejectControlCharacters(name, value))}`,
};

/** A line break would start another variable. Some readers also break lines at U+0085, U+2028 and U+2029. */
function rejectControlCharacters(name: string, value: string): string {
  if (!/[\p{Cc}\p{Zl}\p{Zp}]/u.test(value)) return value;
  throw createFormatError(name, value, 'contains a control character or a line break');
}

/** Dotenv readers agree only on these three forms, without escapes, expansion or comments. */
function quoteForDotenv(name: string, value: string): string {
  if (/^[\w@%+=:,./~[\]-]+$/.test(value)) return value;
  if (!/['\\]/.test(value)) return `'${value}'`;
  if (!/["\\$`]/.test(value)) return `"${value}"`;
  throw createFormatError(name, value, 'contains characters that a dotenv file cannot quote');
}

function createFormatError(name: string, value: string, problem: string): SvcError {
  return new SvcError('usage', `The value of ${name} ${problem}: ${JSON.stringify(value)}.`, {
    hint: { text: 'Read it as JSON', command: 'svc env --format json' },
  });
}

/**
 * Writes the variables of an emulator to a file now, and again whenever one of them changes, for example the endpoint secret.
 * @param getVariables the current variables; one that is missing later is removed from the file
 * @param onChange registers a listener for each possible change
 * @param onError receives the error if a later write fails
 * @throws SvcError as {@link writeEnvFile}
 */
export function keepEnvFile(
  path: string,
  getVariables: () => EnvVariables,
  onChange: (listener: () => void) => void,
  onError: (error: unknown) => void,
): void {
  let written = getVariables();
  writeEnvFile(path, written);
  onChange(() => {
    const variables = getVariables();
    if (isDeepStrictEqual(variables, written)) return;
    try {
      writeEnvFile(path, variables, new Set(Object.keys(written)));
      written = variables;
    } catch (error) {
      onError(error);
    }
  });
}

const HINT = 'Choose a writable file with --write-env.';

/** For a problem that is visible before the emulator starts. @throws SvcError `usage` when the file cannot be written */
export function assertEnvFileWritable(path: string): void {
  try {
    const exists = existsSync(path);
    if (exists) readText(path);
    accessSync(exists ? path : dirname(path), constants.W_OK);
  } catch (error) {
    throw createWriteError(path, error, HINT);
  }
}

/**
 * Sets variables in a file, which is created if necessary, and keeps its other lines. The file contains secrets, so
 * only its owner gets access to it.
 * @param earlier names of variables that are removed if `variables` does not contain them
 * @throws SvcError `usage` when the file cannot be written, or a value cannot be written in this format.
 */
export function writeEnvFile(
  path: string,
  variables: EnvVariables,
  earlier: ReadonlySet<string> = new Set(),
): void {
  try {
    if (existsSync(path)) assertRegularFile(path);
    appendFileSync(path, '', { mode: 0o600 });
    chmodSync(path, 0o600);
    writeFileSync(path, setVariables(readText(path), variables, earlier));
  } catch (error) {
    if (error instanceof SvcError) throw error;
    throw createWriteError(path, error, HINT);
  }
}

/** UTF-16 without a byte order mark contains NUL. */
function readText(path: string): string {
  const bytes = readRegularFile(path);
  if (isUtf8(bytes) && !bytes.includes(0)) return bytes.toString();
  throw new RefusedFileError('it is not UTF-8 text', 'Save it as UTF-8, or choose another file.');
}

/**
 * A line with its line break: its indentation and `export`, its variable, and a quoted value, which can have several lines. If the
 * end of a quoted value is unclear, more counts as the value: the variables that it hides are then added at the end.
 */
const LINE =
  /(?<prefix>[^\S\r\n]*(?:export[ \t]+)?)(?<name>[\w.-]+)[ \t]*=[ \t]*(?:"(?:\\[\s\S]|[^"\\])*"|'(?:\\'|[^'])*'|`(?:\\`|[^`])*`)?[^\r\n]*(?<end>\r\n?|\n|$)|[^\r\n]*(?:\r\n?|\n|$)/gy;

/**
 * Returns the text with these variables set: in the line that had one, or at the end. Lines of other `earlier` ones are removed.
 * All other characters stay.
 */
export function setVariables(
  text: string,
  variables: EnvVariables,
  earlier: ReadonlySet<string> = new Set(),
): string {
  const missing = new Map(Object.entries(variables));
  const lines = Array.from(text.matchAll(LINE), ({ 0: line, groups = {} }) => {
    const { prefix = '', name = '', end = '' } = groups;
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
    if (value === undefined) return earlier.has(name) ? '' : line;
    // Removes further lines of the variable, because readers use the last one.
    return missing.delete(name) ? prefix + toLine(name, value) + end : '';
  });
  const lineBreak = /\r\n?|\n/.exec(text)?.[0] ?? '\n';
  const kept = lines.join('');
  const separator = missing.size === 0 || kept === '' || /[\r\n]$/.test(kept) ? '' : lineBreak;
  return kept + separator + Array.from(missing, ([name, value]) => toLine(name, value) + lineBreak).join('');
}

function toLine(name: string, value: string): string {
  return renderVariables({ [name]: value }, 'dotenv');
}
