import { expect, it } from 'vitest';
import { findExcerpt } from '../../src/domain/excerpt.ts';

it('findExcerpt returns the text around the first match on one line, ignoring case', () => {
  expect(findExcerpt('{"carrier":\n  "DHL"}', 'dhl')).toBe('{"carrier": "DHL"}');
  expect(findExcerpt('nothing', 'dhl')).toBeNull();
  const long = `${'a'.repeat(100)} match ${'b'.repeat(200)}`;
  expect(findExcerpt(long, 'match')).toBe(`…${'a'.repeat(29)} match ${'b'.repeat(89)}…`);
});
