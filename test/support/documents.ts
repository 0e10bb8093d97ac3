import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '../..');

export interface Block {
  /** Relative to the root of the repository. */
  readonly page: string;
  readonly line: number;
  /** The word after the three backticks. */
  readonly language: string;
  /** Without the indentation of the block. */
  readonly code: string;
}

/** The pages that are written by hand, relative to the root of the repository. */
export const pages: readonly string[] = [
  ...readdirSync(root).filter((name) => name.endsWith('.md')),
  ...['docs', 'examples', 'skills'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
      .filter((path) => path.endsWith('.md') && !path.includes('node_modules')),
  ),
];

export function readPage(page: string): string {
  return readFileSync(join(root, page), 'utf8').replaceAll('\r\n', '\n');
}

/** The fenced code blocks of a page. */
export function listBlocks(page: string): Block[] {
  const text = readPage(page);
  return Array.from(
    text.matchAll(/^(?<indent> *)```(?<language>\w*)\n(?<code>[\s\S]*?)^\k<indent>```$/gm),
    ({ index, groups: { indent = '', language = '', code = '' } = {} }) => ({
      page,
      line: text.slice(0, index).split('\n').length,
      language,
      code: code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    }),
  );
}
