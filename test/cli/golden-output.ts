import { join } from 'node:path';
import { expect } from 'vitest';

/**
 * Compares texts with those of `golden/<name>.txt`, where each is below its title.
 * `npx vitest run test/cli --update` writes the file, so that the change is read in review.
 */
export async function expectGolden(name: string, texts: Readonly<Record<string, string>>): Promise<void> {
  const sections = Object.entries(texts).map(([title, text]) => `== ${title}\n${text.trimEnd()}\n`);
  await expect(sections.join('\n')).toMatchFileSnapshot(join(import.meta.dirname, `golden/${name}.txt`));
}
