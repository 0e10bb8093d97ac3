import { extname } from 'node:path';
import { readJsonFile, readTextFile, unreadable } from './config-file.ts';

/**
 * The content of a seed file, not yet validated: JSON, or YAML if its name does not end in `.json`.
 * @throws SvcError `usage` when it cannot be read (with line and column) or is empty.
 */
export async function readSeedFile(path: string): Promise<unknown> {
  const content = extname(path) === '.json' ? readJsonFile(path) : await readYamlFile(path);
  if (content === null) throw unreadable(path, 'is empty');
  return content;
}

async function readYamlFile(path: string): Promise<unknown> {
  const text = readTextFile(path);
  const { parse } = await import('yaml');
  try {
    return parse(text);
  } catch (error) {
    // The first line has the problem and its position. The other lines and the advice are for callers of the parser.
    const [problem = ''] = (error as Error).message.split('\n');
    throw unreadable(path, `is not YAML: ${problem.replace(/; please use \S+|:$/g, '')}`, error);
  }
}
