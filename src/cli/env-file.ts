/** Files of variables that programs read when they start, such as `.env.local`. */
import { appendFileSync, chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { SvcError } from '../errors.ts';
import { type EnvVariables, renderVariables } from './env-variables.ts';

/**
 * Help for a command with `--env-file`. Node 20 reads every such option on the command line of a program as its own,
 * unless a lone -- stands before it.
 */
export function envFileHelp(command: string): string {
  return `
Node 20 takes --env-file for itself and fails when there is no such file yet. Write svc -- ${command}
--env-file FILE there, or set SVC_ENV_FILE.`;
}

/**
 * Sets variables in a file, which need not be there yet; other lines of it stay as they are. The file holds secrets,
 * so nobody else may read it from then on.
 * @throws SvcError `usage` when it cannot be written, or cannot hold one of the values.
 */
export function writeEnvFile(path: string, variables: EnvVariables): void {
  try {
    appendFileSync(path, '', { mode: 0o600 });
    chmodSync(path, 0o600);
    writeFileSync(path, setVariables(readFileSync(path, 'utf8'), variables));
  } catch (error) {
    if (error instanceof SvcError) throw error;
    throw new SvcError('usage', `The file ${path} cannot be written: ${(error as Error).message}.`, {
      cause: error,
    });
  }
}

/** The text of the file with those variables: each in its old place, or at the end. */
export function setVariables(text: string, variables: EnvVariables): string {
  const missing = new Map(Object.entries(variables));
  const lines = text.split('\n').flatMap((line) => {
    const name = /^\s*(?:export\s+)?(\w+)\s*=/.exec(line)?.[1] ?? '';
    const value = variables[name];
    if (value === undefined) return [line];
    // A second line for the same variable would count instead of the first.
    return missing.delete(name) ? [toLine(name, value)] : [];
  });
  if (lines.at(-1) === '') lines.pop();
  return [...lines, ...Array.from(missing, ([name, value]) => toLine(name, value)), ''].join('\n');
}

function toLine(name: string, value: string): string {
  return renderVariables({ [name]: value }, 'dotenv');
}
