import { expect, it } from 'vitest';
import { SvcError } from '../src/errors.ts';

it.each([
  ['with its hint', 'Did you mean clock?', 'createEmulator has no option clocks. Did you mean clock?'],
  ['without a hint', null, 'createEmulator has no option clocks.'],
])('the stack and the JSON form, which test runners print, contain the message %s', (_, hint, text) => {
  const error = new SvcError('usage', 'createEmulator has no option clocks.', { hint });
  expect(error.message).toBe('createEmulator has no option clocks.');
  expect(error.stack?.split('\n')[0]).toBe(`SvcError: ${text}`);
  expect(error.toJSON()).toMatchObject({ name: 'SvcError', code: 'usage', message: text });
});
