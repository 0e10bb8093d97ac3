import { expect, it } from 'vitest';
import { parseSettings } from '../../src/dashboard/settings.ts';

const defaults = { theme: 'system', density: 'comfortable', notifications: false };

it('the settings of the dashboard are those that were saved', () => {
  const saved = { theme: 'dark', density: 'compact', notifications: true };
  expect(parseSettings(JSON.stringify(saved))).toEqual(saved);
});

it.each([
  [null],
  [''],
  ['null'],
  ['7'],
  ['{'],
  ['{"theme":"blue","density":3,"notifications":"yes"}'],
  ['{"theme":"toString","density":"constructor"}'],
])('the settings of the dashboard are the defaults for %s', (json) => {
  expect(parseSettings(json)).toEqual(defaults);
});
