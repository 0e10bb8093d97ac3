import { extname } from 'node:path';
import { readJsonFile, readTextFile, unreadable } from './config-file.ts';

/**
 * What a seed file holds, not yet checked: JSON, or YAML where its name does not end in `.json`.
 * @throws SvcError `usage` when it cannot be read, with line and column, or holds nothing.
 */
export async function readSeedFile(path: string): Promise<unknown> {
  const content = extname(path) === '.json' ? readJsonFile(path) : await readYamlFile(path);
  if (content === null) throw unreadable(path, 'holds nothing');
  return content;
}

async function readYamlFile(path: string): Promise<unknown> {
  const text = readTextFile(path);
  const { parse } = await import('yaml');
  try {
    return parse(text);
  } catch (error) {
    // The first line says what and where; the others draw it, and advice is for those who call the parser.
    const [problem = ''] = (error as Error).message.split('\n');
    throw unreadable(path, `is not YAML: ${problem.replace(/; please use \S+|:$/g, '')}`, error);
  }
}
