/** Values that may stand in a file: `@file`, `-` for standard input, or the value itself. */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { SvcError } from '../errors.ts';
import type { Context } from './context.ts';

/** The bytes that `value` stands for. */
export async function readValue(value: string, context: Pick<Context, 'io' | 'cwd'>): Promise<Buffer> {
  if (value === '-') return context.io.readInput();
  if (!value.startsWith('@')) return Buffer.from(value);
  return readNamedFile(value.slice(1), context.cwd);
}

/** @throws SvcError `usage` that names the file when it cannot be read. */
export async function readNamedFile(path: string, cwd: string): Promise<Buffer> {
  try {
    return await readFile(resolve(cwd, path));
  } catch (error) {
    throw new SvcError('usage', `The file ${path} cannot be read: ${(error as Error).message}.`, {
      cause: error,
    });
  }
}
