import { expect, it } from 'vitest';
import { parseSettings } from '../../src/dashboard/settings.ts';

const defaults = { theme: 'system', times: 'relative', shortcuts: true, listShare: 34, notifications: false };

it('the settings of the dashboard are those that were saved', () => {
  const saved = { theme: 'dark', times: 'absolute', shortcuts: false, listShare: 50, notifications: true };
  expect(parseSettings(JSON.stringify(saved))).toEqual(saved);
});

it.each([
  [null],
  [''],
  ['null'],
  ['7'],
  ['{'],
  ['{"theme":"blue","times":3,"shortcuts":1,"notifications":"yes"}'],
  ['{"listShare":"50"}'],
  ['{"theme":"toString","times":"constructor"}'],
])('the settings of the dashboard are the defaults for %s', (json) => {
  expect(parseSettings(json)).toEqual(defaults);
});

it.each([
  [7, 30],
  [44.6, 45],
  [1e9, 70],
])('the saved share %d of the list in the width becomes %d', (saved, listShare) => {
  expect(parseSettings(JSON.stringify({ listShare: saved }))).toMatchObject({ listShare });
});
