/** Reads and writes the files that options name. */
import { X509Certificate } from 'node:crypto';
import { accessSync, constants, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { decodeText } from '../domain/decode-text.ts';
import { SvcError } from '../domain/errors.ts';
import { describeFileError } from '../domain/message-parts.ts';
import { readBytes, readTextFile } from '../platform/read-data-file.ts';
import { FILE_LIMIT_BYTES } from '../platform/read-limited-file.ts';
import { replaceFile } from '../platform/replace-file.ts';
import type { ProcessContext } from './process-context.ts';

/**
 * Reads an option value that can also be a file (`@file`) or standard input (`-`).
 * @throws SvcError `usage` when the file cannot be read or is larger than the limit; as `Io.readInput`
 */
export async function readValue(
  value: string,
  { io, cwd, signal }: Pick<ProcessContext, 'io' | 'cwd' | 'signal'>,
): Promise<Buffer> {
  if (value === '-') return io.readInput(FILE_LIMIT_BYTES, signal);
  if (!value.startsWith('@')) return Buffer.from(value);
  return readBytes(resolve(cwd, value.slice(1)));
}

/** Reads an option value as {@link readValue} does. @throws SvcError `usage` also for bytes that are not UTF-8 */
export async function readText(
  value: string,
  context: Pick<ProcessContext, 'io' | 'cwd' | 'signal'>,
): Promise<string> {
  if (value.startsWith('@')) return readTextFile(resolve(context.cwd, value.slice(1)));
  return value === '-' ? decodeText(await readValue(value, context), 'Standard input') : value;
}

/**
 * Reads the certificate authority of the `ca` setting.
 * @throws SvcError `usage` when the file cannot be read, or is not a PEM certificate
 */
export function readCaFile(path: string, cwd: string): string {
  const pem = readBytes(resolve(cwd, path)).toString();
  try {
    new X509Certificate(pem);
  } catch (cause) {
    throw new SvcError('usage', `The CA file ${resolve(cwd, path)} is not a PEM certificate.`, {
      hint: 'Pass a PEM file that starts with -----BEGIN CERTIFICATE-----.',
      cause,
    });
  }
  return pem;
}

/**
 * Creates the folder of a file before the work whose result it gets, so that problems are reported early.
 * @throws SvcError `usage` when the file cannot be written
 */
export function assertFileWritable(path: string, hint = 'Pass another file.'): void {
  const folder = dirname(path);
  try {
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === false) {
      throw new Error(`${folder} is not a folder`);
    }
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK);
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw new Error('it is a folder');
  } catch (error) {
    throw createWriteError(path, error, hint);
  }
}

/**
 * Writes a file, and creates its folder. An earlier file stays unchanged until the new one is complete. A pipe is refused, because opening
 * it waits for its reader, and no signal can interrupt that.
 * @param hint what to do if the file cannot be written
 * @throws SvcError `usage` when the file cannot be written
 */
export async function writeText(path: string, text: string, hint = 'Pass another file.'): Promise<void> {
  try {
    mkdirSync(dirname(path), { recursive: true });
    const existing = statSync(path, { throwIfNoEntry: false });
    if (existing?.isFIFO()) throw new Error('it is a pipe');
    // A device stays what it is.
    if (existing?.isFile() === false) writeFileSync(path, text);
    else replaceFile(path, text);
  } catch (error) {
    throw createWriteError(path, error, hint);
  }
}

export function createWriteError(path: string, error: unknown, hint: string): SvcError {
  return new SvcError('usage', `Cannot write ${path}: ${describeFileError(error)}.`, {
    hint,
    cause: error,
  });
}
