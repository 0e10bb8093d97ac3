import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { gapIds, gaps } from '../../src/profile/gaps.ts';
import { findTaggedTests, listTestsOf, readTaggedTests, renderConformance } from './coverage.ts';
import { statements } from './statements.ts';

const root = join(import.meta.dirname, '../..');
const tests = readTaggedTests(join(root, 'test'));
const ids = new Set(statements.map((statement) => statement.id));

describe('conformance', () => {
  it('gives every statement an id of its own', () => {
    expect(statements.map(({ id }) => id)).toEqual([...ids]);
  });

  it('names only statements that exist', () => {
    const unknown = tests.flatMap(({ file, title, references }) =>
      references.filter((reference) => !ids.has(reference)).map((id) => `${id} in ${file} › ${title}`),
    );
    expect(unknown, 'references at the end of a title that test/conformance/statements.ts lacks').toEqual([]);
  });

  it('is what the gap register refers to', () => {
    const dangling = gapIds.flatMap((id) =>
      gaps[id].references
        .filter((reference) => !ids.has(reference))
        .map((reference) => `${reference} in ${id}`),
    );
    expect(dangling).toEqual([]);
  });

  it('leans only on statements that have tests of their own', () => {
    const leaning = new Set(statements.filter(({ shownBy }) => shownBy).map(({ id }) => id));
    const loose = statements.flatMap(({ id, shownBy = [] }) =>
      shownBy.filter((other) => !ids.has(other) || leaning.has(other)).map((other) => `${id} → ${other}`),
    );
    expect(loose).toEqual([]);
  });

  it('shows every statement by a test', () => {
    const missing = statements.filter(
      (statement) => !statement.shownBy && listTestsOf(statement, tests).length === 0,
    );
    expect(missing.map(({ id, text }) => `${id}: ${text}`)).toEqual([]);
  });

  it('docs/contributing/conformance.md lists every statement with its tests', async () => {
    const page = join(root, 'docs/contributing/conformance.md');
    await expect(renderConformance(statements, tests)).toMatchFileSnapshot(page);
  });
});

describe('findTaggedTests', () => {
  // Made from parts, or the scan of this file would find them.
  const tag = (...references: string[]) => `[${references.join(', ')}]`;
  const find = (source: string) =>
    findTaggedTests('a.test.ts', source).map((test) => [test.title, test.references]);

  it.each([
    ['single quotes', `it('a ${tag('§1.x', 'y.z')}', () => {});`],
    ['double quotes', `test("a ${tag('§1.x', 'y.z')}", () => {});`],
    ['backticks', `it.concurrent(\`a ${tag('§1.x', 'y.z')}\`, () => {});`],
    ['a table', `it.each([[1], ['(']])('a ${tag('§1.x', 'y.z')}', (n) => {});`],
    ['a table over lines', `it.each([\n  1,\n])(\n  'a ${tag('§1.x', 'y.z')}',\n  (n) => {},\n);`],
    ['a tagged table', `it.each\`\n  n\n  \${1}\n\`('a ${tag('§1.x', 'y.z')}', ({ n }) => {});`],
  ])('reads a title in %s', (_, source) => {
    expect(find(source)).toEqual([['a', ['§1.x', 'y.z']]]);
  });

  it('reads each title of a file', () => {
    const source = `it('is plain', () => {});\nit('it\\'s a ${tag('§1.x')}', () => {});\nit('b ${tag('§2.y')}', f);`;
    expect(find(source)).toEqual([
      ["it's a", ['§1.x']],
      ['b', ['§2.y']],
    ]);
  });

  it('passes over a test in a comment and over other calls', () => {
    expect(find(`// it('a ${tag('§1.x')}', () => {});\nverify('a ${tag('§1.x')}', secret);`)).toEqual([]);
  });
});
