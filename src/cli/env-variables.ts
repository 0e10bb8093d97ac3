/** The environment variables that connect a program to an emulator, and files of them such as `.env.local`. */

import { chmodSync, existsSync, statSync, writeFileSync } from 'node:fs';
import { SvcError } from '../domain/errors.ts';
import { quoteForShell } from '../domain/shell.ts';
import type { EmulatorStatus } from '../operations/emulator-schemas.ts';
import { readTextFile } from '../platform/read-data-file.ts';
import { createWriteError } from './file-access.ts';

export type EnvVariables = Readonly<Record<string, string>>;

/** @param certificate path of the self-signed certificate that clients must trust */
export function toEnvVariables(status: EmulatorStatus, certificate: string | null): EnvVariables {
  const variables = {
    SVC_BASE_URL: status.base_url,
    SVC_API_KEY: status.api_key,
    SVC_WORKSPACE_ID: status.workspace_id,
    SVC_CONTROL_URL: status.control_url,
    SVC_CONTROL_TOKEN: status.control_token,
    SVC_WEBHOOK_SECRET: status.webhook_secret,
    NODE_EXTRA_CA_CERTS: certificate ?? undefined,
  };
  return Object.fromEntries(
    Object.entries(variables).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
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
  throw createFormatError(name, 'contains a control character or a line break');
}

/** Dotenv readers agree only on these three forms, without escapes, expansion or comments. */
function quoteForDotenv(name: string, value: string): string {
  if (/^[\w@%+=:,./~[\]-]+$/.test(value)) return value;
  if (!/['\\]/.test(value)) return `'${value}'`;
  if (!/["\\$`]/.test(value)) return `"${value}"`;
  throw createFormatError(name, 'contains characters that a dotenv file cannot quote');
}

/** Without the value, which can be a secret. */
function createFormatError(name: string, problem: string): SvcError {
  return new SvcError('usage', `The value of ${name} ${problem}.`, {
    hint: { text: 'Read it as JSON', command: 'svc env --format json' },
  });
}

export const ENV_FILE_HINT = 'Choose a writable file with --write-env.';

/**
 * Sets variables in a file, which is created if necessary, and keeps its other lines. The file contains secrets, so
 * only its owner gets access to it.
 * @throws SvcError `usage` when the file cannot be read or written, or a value cannot be written in this format.
 */
export function writeEnvFile(path: string, variables: EnvVariables): void {
  const exists = existsSync(path);
  // The mode of a device such as /dev/null would change for all programs.
  if (exists && !statSync(path).isFile()) {
    throw new SvcError('usage', `${path} is not a regular file.`, { hint: ENV_FILE_HINT });
  }
  const text = exists ? readTextFile(path) : '';
  const content = setVariables(text, variables);
  try {
    writeFileSync(path, content, { mode: 0o600 });
    chmodSync(path, 0o600);
  } catch (error) {
    throw createWriteError(path, error, ENV_FILE_HINT);
  }
}

/** Returns the text with these variables at its end, instead of its lines that set them. */
export function setVariables(text: string, variables: EnvVariables): string {
  const names = Object.keys(variables);
  const others = text
    .split(/(?<=\n)/)
    .filter((line) => !names.includes(/^\s*(?:export\s+)?([\w.-]+)\s*=/.exec(line)?.[1] ?? ''))
    .join('');
  const separator = others === '' || others.endsWith('\n') ? '' : '\n';
  return `${others}${separator}${renderVariables(variables, 'dotenv')}\n`;
}
