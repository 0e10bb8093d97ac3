import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { frameworks } from '../../src/fixtures/receiver-examples.ts';
import { languages } from './receiver-process.ts';

const root = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8').replaceAll('\r\n', '\n');

/** The contents of the fenced code blocks of a Markdown file that are in `language`. */
function codeBlocks(path: string, language: string): string[] {
  return Array.from(read(path).matchAll(/^```(\w+)\n(.*?)^```$/gms))
    .filter((match) => match[1] === language)
    .map((match) => match[2] ?? '');
}

describe('the receivers in the documents', () => {
  it.each([
    ['python', 'receiver.py'],
    ['go', 'receiver.go'],
    ['ruby', 'receiver.rb'],
    ['php', 'receiver.php'],
  ])('docs/receivers.md shows, in %s, %s unchanged', (language, file) => {
    expect(codeBlocks('docs/receivers.md', language)).toEqual([read(`docs/receivers/${file}`)]);
  });

  it('docs/receivers.md shows each JavaScript receiver unchanged', () => {
    const examples = ['deliveries', ...frameworks].map((name) => `fixtures/receivers/${name}.mjs`);
    expect(codeBlocks('docs/receivers.md', 'js')).toEqual(
      [...examples, 'docs/receivers/receiver.mjs'].map(read),
    );
  });

  it('a test runs every receiver in docs/receivers', () => {
    expect(languages.map(({ file }) => file).sort()).toEqual(
      readdirSync(join(root, 'docs/receivers')).sort(),
    );
  });
});
