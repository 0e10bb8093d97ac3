/** Checks the reasons and schemes in docs/signatures.md. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { receiverReasons, refusalReasons } from '../../src/signature/refusals.ts';
import { schemeNames } from '../../src/signature/schemes.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/signatures.md'), 'utf8');

it.each([...refusalReasons, ...receiverReasons, ...schemeNames])('docs/signatures.md names %s', (word) => {
  expect(page).toContain(`\`${word}\``);
});
