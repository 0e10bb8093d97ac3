/** Files of variables that programs read when they start, such as `.env.local`. */
import { appendFileSync, chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { type Command, Option } from 'commander';
import { SvcError } from '../errors.ts';
import { type EnvVariables, renderVariables } from './env-variables.ts';
import { createWriteError } from './write-error.ts';

export interface WriteEnvOptions {
  readonly writeEnv?: string;
  /** The former name. Node 20 reads `--env-file` itself, unless a `--` precedes it. */
  readonly envFile?: string;
}

/** `--write-env`, and its former name without a place in the help. */
export function addEnvFileAlias(command: Command): Command {
  return command.addOption(new Option('--env-file <file>', 'Former name of --write-env').hideHelp());
}

/** The setting `envFile` as the option that was given. */
export function toEnvFileFlag({ writeEnv, envFile }: WriteEnvOptions): { readonly writeEnv?: string } {
  const file = writeEnv ?? envFile;
  return file === undefined ? {} : { writeEnv: file };
}

/**
 * Sets variables in a file, which is created if necessary, and keeps its other lines. The file holds secrets, so only
 * its owner can read it from then on.
 * @throws SvcError `usage` when the file cannot be written, or a value cannot be written in this format.
 */
export function writeEnvFile(path: string, variables: EnvVariables): void {
  try {
    appendFileSync(path, '', { mode: 0o600 });
    chmodSync(path, 0o600);
    writeFileSync(path, setVariables(readFileSync(path, 'utf8'), variables));
  } catch (error) {
    if (error instanceof SvcError) throw error;
    throw createWriteError(path, error, 'Choose a writable file with --write-env.');
  }
}

/** Returns the text with these variables set: in the line that had one, or at the end. */
export function setVariables(text: string, variables: EnvVariables): string {
  const missing = new Map(Object.entries(variables));
  const lines = text.split('\n').flatMap((line) => {
    const name = /^\s*(?:export\s+)?(\w+)\s*=/.exec(line)?.[1] ?? '';
    const value = variables[name];
    if (value === undefined) return [line];
    // Readers use the last line of a variable.
    return missing.delete(name) ? [toLine(name, value)] : [];
  });
  if (lines.at(-1) === '') lines.pop();
  return [...lines, ...Array.from(missing, ([name, value]) => toLine(name, value)), ''].join('\n');
}

function toLine(name: string, value: string): string {
  return renderVariables({ [name]: value }, 'dotenv');
}
