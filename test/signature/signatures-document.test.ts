/** Checks the reasons and schemes in docs/signatures.md. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { customSchemes } from '../../src/config/custom-schemes.ts';
import { parseConfigured } from '../../src/resources/configured-value.ts';
import { receiverReasons, refusalReasons } from '../../src/signature/refusals.ts';
import { schemeNames } from '../../src/signature/schemes.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/signatures.md'), 'utf8');

it.each([...refusalReasons, ...receiverReasons, ...schemeNames])('docs/signatures.md names %s', (word) => {
  expect(page).toContain(`\`${word}\``);
});

it('docs/signatures.md describes a valid custom scheme', () => {
  const [, example = ''] = /```json\n(.*?)```/s.exec(page) ?? [];
  const { scheme, schemes } = JSON.parse(example);
  expect(parseConfigured(customSchemes, schemes, { path: 'schemes', toHint: () => '' })).toHaveProperty(
    scheme,
  );
});
