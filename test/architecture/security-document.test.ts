import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readTaggedTests } from '../conformance/coverage.ts';
import { readPage, root } from '../support/documents.ts';
import securityRules from './security-rules.json' with { type: 'json' };

describe('the security rules', () => {
  it('every rule has a test whose title ends with its ID', () => {
    const tested = new Set(readTaggedTests(join(root, 'test')).flatMap(({ references }) => references));
    expect(Object.keys(securityRules).filter((id) => !tested.has(id))).toEqual([]);
  });

  it('docs/security.md lists only rules that have tests', () => {
    const page = readPage('docs/security.md');
    const listed = Array.from(
      page.slice(page.indexOf('## Rules')).matchAll(/^- (.*)$/gm),
      ([, rule]) => rule,
    );
    expect(listed.length).toBeGreaterThan(10);
    const rules = new Set<string | undefined>(Object.values(securityRules));
    expect(listed.filter((rule) => !rules.has(rule))).toEqual([]);
  });
});
