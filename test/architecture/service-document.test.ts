import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { gapIds } from '../../src/profile/gaps.ts';
import { statements } from '../conformance/statements.ts';

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/service.md'), 'utf8');
const anchors = Array.from(page.matchAll(/<a id="([^"]+)"><\/a>/g), ([, id]) => `§${id}`);

/** The references in all files of a folder, such as §6.3 and §4.create-event. */
function findReferences(folder: string, extension: RegExp): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => extension.test(name))
    .flatMap(
      (name) => readFileSync(join(root, folder, name), 'utf8').match(/§\d(?:\.[a-z\d][a-z\d-]*)*/g) ?? [],
    );
}

it('docs/service.md has an anchor for each statement of the service description', () => {
  const ids = statements.filter(({ section }) => section !== 'Decisions').map(({ id }) => id);
  expect(ids.filter((id) => !anchors.includes(id))).toEqual([]);
});

it('docs/service.md has an anchor for each reference in the code and the docs', () => {
  const references = [...findReferences('src', /\.tsx?$/), ...findReferences('docs', /\.md$/)];
  expect(references.length).toBeGreaterThan(100);
  expect([...new Set(references)].filter((reference) => !anchors.includes(reference))).toEqual([]);
});

it('docs/service.md uses each anchor once', () => {
  expect(anchors.filter((anchor, index) => anchors.indexOf(anchor) !== index)).toEqual([]);
});

it('docs/service.md mentions only gaps of the gap register', () => {
  const mentions = Array.from(
    page.matchAll(/\(gaps? ([^)]+)\)/g),
    ([, names = '']) => names.match(/`[^`]+`/g) ?? [],
  );
  const names = mentions.flat().map((name) => name.slice(1, -1));
  expect(names.length).toBeGreaterThan(15);
  const exists = (name: string) =>
    gapIds.some((id) => id === name || (name.endsWith('.*') && id.startsWith(name.slice(0, -1))));
  expect(names.filter((name) => !exists(name))).toEqual([]);
});
