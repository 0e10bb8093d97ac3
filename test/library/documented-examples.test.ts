import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

it.each([
  { page: 'docs/testing.md', language: 'ts', folder: 'examples' },
  { page: 'docs/testing.md', language: 'js', folder: '../../scripts/platform/recipes' },
  { page: 'README.md', language: 'js', folder: 'readme' },
])('$page shows tests of $folder unchanged', ({ page, language, folder }) => {
  const examples = join(import.meta.dirname, folder);
  const document = readFileSync(join(import.meta.dirname, '../..', page), 'utf8');
  // The first line may say what the file is called. A program that does not use the library is not a test.
  const blocks = new RegExp(`^\`\`\`${language}\\n(?:// [^\\n]*\\n)?(.*?)^\`\`\`$`, 'gms');
  const shown = Array.from(document.matchAll(blocks), ([, code = '']) => code).filter((code) =>
    code.includes('svc-emulator'),
  );
  const files = readdirSync(examples).map((name) => readFileSync(join(examples, name), 'utf8'));
  expect(shown.length).toBeGreaterThan(0);
  expect(shown.filter((code) => !files.includes(code))).toEqual([]);
});
