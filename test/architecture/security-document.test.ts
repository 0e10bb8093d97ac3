import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readPage, root } from '../support/documents.ts';
import { securityRules } from './security-rules.ts';

const entries = Object.values(securityRules).flat();

/** @param test a file, and the titles of the enclosing groups and of the test as they are in the file */
function exists(test: string): boolean {
  const [file = '', ...titles] = test.split(' › ');
  const path = join(root, file);
  if (!file.endsWith('.test.ts') || !existsSync(path)) return false;
  const source = readFileSync(path, 'utf8').replace(/\\(['"`])/g, '$1');
  return titles.every((title) => ["'", '"', '`'].some((quote) => source.includes(quote + title)));
}

describe('the security rules', () => {
  it('every rule has a test, and every named test exists', () => {
    expect(entries.length).toBeGreaterThan(0);
    expect(entries.filter(({ tests }) => tests.length === 0)).toEqual([]);
    expect(entries.flatMap(({ tests }) => tests).filter((test) => !exists(test))).toEqual([]);
  });

  it('docs/security.md lists only rules that have tests', () => {
    const page = readPage('docs/security.md');
    const listed = Array.from(
      page.slice(page.indexOf('## Rules')).matchAll(/^- (.*)$/gm),
      ([, rule]) => rule,
    );
    expect(listed.length).toBeGreaterThan(20);
    const rules = new Set<string | undefined>(entries.map(({ rule }) => rule));
    expect(listed.filter((rule) => !rules.has(rule))).toEqual([]);
  });

  it('a missing file and a missing title are found', () => {
    const here = 'test/architecture/security-document.test.ts';
    expect(exists(`${here} › the security rules › every rule has a test`)).toBe(true);
    expect(exists('test/x.test.ts')).toBe(false);
    expect(exists(`${here} › every cited ${'title'}`)).toBe(false);
  });
});
