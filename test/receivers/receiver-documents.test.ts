import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8').replaceAll('\r\n', '\n');

/** The contents of the fenced code blocks of a Markdown file that are in `language`. */
function codeBlocks(path: string, language: string): string[] {
  return Array.from(read(path).matchAll(/^```(\w+)\n(.*?)^```$/gms))
    .filter((match) => match[1] === language)
    .map((match) => match[2] ?? '');
}

it('docs/receivers.md shows the example for Express unchanged', () => {
  expect(codeBlocks('docs/receivers.md', 'js')).toEqual([read('fixtures/receivers/express.mjs')]);
});
