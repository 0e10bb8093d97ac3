import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const examples = join(import.meta.dirname, 'examples');

it('docs/testing.md shows the examples that run here, as they are', () => {
  const document = readFileSync(join(import.meta.dirname, '../../docs/testing.md'), 'utf8');
  const shown = Array.from(document.matchAll(/^```ts\n(.*?)^```$/gms), ([, code]) => code);
  const files = readdirSync(examples).map((name) => readFileSync(join(examples, name), 'utf8'));
  expect(shown.sort()).toEqual(files.sort());
});
