import { expect, it } from 'vitest';
import { parseSettings } from '../../src/dashboard/settings.ts';

const defaults = { theme: 'system', zone: 'local', shortcuts: true };

it('the settings of the dashboard are those that were saved', () => {
  const saved = { theme: 'dark', zone: 'utc', shortcuts: false };
  expect(parseSettings(JSON.stringify(saved))).toEqual(saved);
});

it.each([
  [null],
  [''],
  ['null'],
  ['7'],
  ['{'],
  ['{"theme":"blue","zone":3,"shortcuts":1}'],
  ['{"theme":"toString","zone":"constructor"}'],
])('the settings of the dashboard are the defaults for %s', (json) => {
  expect(parseSettings(json)).toEqual(defaults);
});
