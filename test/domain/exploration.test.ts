import { describe, expect, it } from 'vitest';
import { disturbanceNames, selectDisturbances } from '../../src/domain/exploration.ts';

describe('selectDisturbances', () => {
  it.each([
    ['all without restrictions', [], [], disturbanceNames],
    ['only the named ones', ['burst', 'forged'], [], ['burst', 'forged']],
    [
      'all except the excluded ones',
      [],
      ['restart', 'burst'],
      disturbanceNames.filter((name) => name !== 'restart' && name !== 'burst'),
    ],
    ['the named ones that are not excluded', ['burst', 'forged'], ['burst'], ['forged']],
  ])('selectDisturbances returns %s', (_, only, without, selected) => {
    expect([...selectDisturbances(only, without)]).toEqual(selected);
  });

  it('selectDisturbances suggests the name that was meant, or lists all names', () => {
    expect(() => selectDisturbances(['forgd'])).toThrow(
      expect.objectContaining({
        message: 'Disturbance forgd does not exist.',
        hint: 'Did you mean forged?',
      }),
    );
    expect(() => selectDisturbances([], ['everything'])).toThrow(
      expect.objectContaining({ hint: `Use one of: ${disturbanceNames.join(', ')}.` }),
    );
  });
});
