/** Reads JSON and YAML files that the user named. */
import { extname, resolve } from 'node:path';
import { decodeText } from '../domain/decode-text.ts';
import { SvcError } from '../domain/errors.ts';
import { locateJsonError } from '../domain/json-text.ts';
import { describeFileError } from '../domain/message-parts.ts';
import { readLimitedFile } from './read-limited-file.ts';

/**
 * Reads a file that is JSON, or YAML if its name does not end in `.json`. The content is not yet validated.
 * @throws SvcError `usage` if it cannot be read, is empty or is invalid (with line and column)
 */
export async function readDataFile(path: string): Promise<unknown> {
  const content = extname(path) === '.json' ? readJsonFile(path) : await readYamlFile(path);
  if (content === null) throw createInvalidFileError(path, 'is empty');
  return content;
}

/** @throws SvcError `usage` if the file cannot be read or is not JSON (with line and column) */
export function readJsonFile(path: string): unknown {
  const text = readTextFile(path);
  try {
    return JSON.parse(text);
  } catch (error) {
    const { line, column } = locateJsonError(text);
    throw createInvalidFileError(path, `is not valid JSON: see line ${line}, column ${column}`, error);
  }
}

async function readYamlFile(path: string): Promise<unknown> {
  const text = readTextFile(path);
  const { parse } = await import('yaml');
  try {
    return parse(text);
  } catch (error) {
    // The first line has the problem and its position. The other lines and the advice are for callers of the parser.
    const [problem = ''] = (error as Error).message.split('\n');
    throw createInvalidFileError(
      path,
      `is not valid YAML: ${problem.replace(/; please use \S+|:$/g, '')}`,
      error,
    );
  }
}

/** @param path absolute, so that a wrong current folder is noticed */
function createReadError(path: string, error: unknown): SvcError {
  const { code = '' } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return new SvcError('usage', `The file ${path} does not exist.`, { cause: error });
  const message = `The file ${path} cannot be read: ${describeFileError(error)}.`;
  return new SvcError('usage', message, { cause: error });
}

/** @throws SvcError `usage` if the file cannot be read or is not UTF-8 */
export function readTextFile(path: string): string {
  return decodeText(readBytes(path), `The file ${resolve(path)}`);
}

/** @throws SvcError `usage` if the file cannot be read or is larger than the limit */
export function readBytes(path: string, sizeLimit?: number): Buffer {
  try {
    return readLimitedFile(path, sizeLimit);
  } catch (error) {
    throw createReadError(resolve(path), error);
  }
}

/** @param predicate completes the sentence that starts with the path */
export function createInvalidFileError(path: string, predicate: string, cause?: unknown): SvcError {
  return new SvcError('usage', `${path} ${predicate}.`, { hint: `Correct the content of ${path}`, cause });
}
