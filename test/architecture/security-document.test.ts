import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');

interface CitedTest {
  readonly file: string;
  /** The titles of the enclosing groups and of the test, as in the test file. */
  readonly names: readonly string[];
}

/** Tests are cited as `file` › group › title, and end with a line break or the end of the cell. */
function findCitedTests(markdown: string): CitedTest[] {
  return Array.from(
    markdown.matchAll(/`(test\/[\w./-]+\.test\.ts)`((?: › (?:(?!<br>| \|$| › ).)+)*)/gm),
    ([, file = '', names = '']) => ({ file, names: names.split(' › ').slice(1) }),
  );
}

function isIn({ file, names }: CitedTest): boolean {
  const path = join(root, file);
  if (!existsSync(path)) return false;
  const source = readFileSync(path, 'utf8').replace(/\\(['"`])/g, '$1');
  return names.every((name) => ["'", '"', '`'].some((quote) => source.includes(quote + name)));
}

describe('docs/security.md', () => {
  const read = (page: string) => readFileSync(join(root, 'docs', page), 'utf8');
  const tests = read('contributing/security-tests.md');

  it('every rule has a test, and every test has a rule', () => {
    const rules = read('security.md')
      .slice(read('security.md').indexOf('## The rules'))
      .matchAll(/^- (.*)$/gm);
    const rows = tests.matchAll(/^\| (.*?) \| `/gm);
    const listed = Array.from(rules, ([, rule]) => rule);
    expect(listed.length).toBeGreaterThan(0);
    expect(Array.from(rows, ([, rule]) => rule)).toEqual(listed);
  });

  it('every cited test exists', () => {
    expect(findCitedTests(tests).filter((test) => !isIn(test))).toEqual([]);
  });

  it('a missing file and a missing title are found', () => {
    const here = 'test/architecture/security-document.test.ts';
    const lines = [
      `| a | \`${here}\` › docs/security.md › every cited test exists |`,
      '| b | `test/x.test.ts` |',
    ];
    const citations = findCitedTests(
      `${lines.join('\n')}\n| c | \`${here}\` › every cited ${'title'}<br>\`${here}\` |`,
    );
    expect(citations.map(({ names }) => names.length)).toEqual([2, 0, 1, 0]);
    expect(citations.map(isIn)).toEqual([true, false, false, true]);
  });
});
