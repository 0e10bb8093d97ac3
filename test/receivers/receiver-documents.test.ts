import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8').replaceAll('\r\n', '\n');

/** The contents of the fenced code blocks of a Markdown file that are in `language`. */
function codeBlocks(path: string, language: string): string[] {
  return Array.from(read(path).matchAll(/^```(\w+)\n(.*?)^```$/gms))
    .filter((match) => match[1] === language)
    .map((match) => match[2] ?? '');
}

describe('the receivers in the documents', () => {
  const folder = 'fixtures/receivers';
  it.each([
    ['js', '.mjs'],
    ['python', '.py'],
    ['go', '.go'],
    ['ruby', '.rb'],
    ['php', '.php'],
  ])('docs/receivers.md shows each example in %s unchanged', (language, extension) => {
    const files = readdirSync(join(root, folder)).filter((name) => name.endsWith(extension));
    const contents = files.map((name) => read(`${folder}/${name}`));
    expect(codeBlocks('docs/receivers.md', language).sort()).toEqual(contents.sort());
  });
});
