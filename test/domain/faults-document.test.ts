import { expect, it } from 'vitest';
import { deliveryFaults } from '../../src/domain/fault.ts';
import { readPage } from '../support/documents.ts';

it.each(Object.entries(deliveryFaults))(
  'docs/faults.md describes the fault %s with the words of its help',
  (kind, { description }) => {
    expect(readPage('docs/faults.md')).toContain(`| \`${kind}\` | ${description}`);
  },
);
