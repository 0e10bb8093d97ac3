import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { gapIds, gaps } from '../../src/profile/gaps.ts';
import securityRules from '../architecture/security-rules.json' with { type: 'json' };
import { findTaggedTests, listTestsOf, readTaggedTests, renderConformance } from './coverage.ts';
import { statements } from './statements.ts';

const root = join(import.meta.dirname, '../..');
const tests = readTaggedTests(join(root, 'test'));
const ids = new Set(statements.map((statement) => statement.id));

describe('conformance', () => {
  it('every statement has a unique id', () => {
    expect(statements.map(({ id }) => id)).toEqual([...ids]);
  });

  it('every reference in a test title names an existing statement or security rule', () => {
    const unknown = tests.flatMap(({ file, title, references }) =>
      references
        .filter((reference) => !ids.has(reference) && !(reference in securityRules))
        .map((id) => `${id} in ${file} › ${title}`),
    );
    expect(unknown, 'references at the end of a title that name no statement and no security rule').toEqual(
      [],
    );
  });

  it('every reference in the gap register names an existing statement', () => {
    const dangling = gapIds.flatMap((id) =>
      gaps[id].references
        .filter((reference) => !ids.has(reference))
        .map((reference) => `${reference} in ${id}`),
    );
    expect(dangling).toEqual([]);
  });

  it('statements without tests refer only to statements with tests', () => {
    const untested = new Set(statements.filter(({ coveredBy }) => coveredBy).map(({ id }) => id));
    const dangling = statements.flatMap(({ id, coveredBy = [] }) =>
      coveredBy
        .filter((covering) => !ids.has(covering) || untested.has(covering))
        .map((covering) => `${id} → ${covering}`),
    );
    expect(dangling).toEqual([]);
  });

  it('every statement has a test', () => {
    const missing = statements.filter(
      (statement) => !statement.coveredBy && listTestsOf(statement, tests).length === 0,
    );
    expect(missing.map(({ id, text }) => `${id}: ${text}`)).toEqual([]);
  });

  it('docs/contributing/conformance.md lists every statement with its tests', async () => {
    const page = join(root, 'docs/contributing/conformance.md');
    await expect(
      renderConformance(statements, tests),
      'Update the page with: npx vitest run test/conformance --update',
    ).toMatchFileSnapshot(page);
  });
});

describe('findTaggedTests', () => {
  // Concatenated, because the scan of this file would find them otherwise.
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
  ])('a title in %s is found', (_, source) => {
    expect(find(source)).toEqual([['a', ['§1.x', 'y.z']]]);
  });

  it('all titles of a file are found', () => {
    const source = `it('is plain', () => {});\nit('it\\'s a ${tag('§1.x')}', () => {});\nit('b ${tag('§2.y')}', f);`;
    expect(find(source)).toEqual([
      ["it's a", ['§1.x']],
      ['b', ['§2.y']],
    ]);
  });

  it('tests in comments and other calls are ignored', () => {
    expect(find(`// it('a ${tag('§1.x')}', () => {});\nverify('a ${tag('§1.x')}', secret);`)).toEqual([]);
  });
});
