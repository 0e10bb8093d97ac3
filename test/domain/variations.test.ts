import { describe, expect, it } from 'vitest';
import { selectVariations, variationNames } from '../../src/domain/variations.ts';

describe('selectVariations', () => {
  it.each([
    ['all without restrictions', [], [], variationNames],
    ['only the named ones', ['burst', 'forged'], [], ['burst', 'forged']],
    [
      'all except the excluded ones',
      [],
      ['restart', 'burst'],
      variationNames.filter((name) => name !== 'restart' && name !== 'burst'),
    ],
    ['the named ones that are not excluded', ['burst', 'forged'], ['burst'], ['forged']],
  ])('selectVariations returns %s', (_, only, without, selected) => {
    expect([...selectVariations(only, without)]).toEqual(selected);
  });

  it('selectVariations suggests the name that was meant, or lists all names', () => {
    expect(() => selectVariations(['forgd'])).toThrow(
      expect.objectContaining({
        message: 'Variation forgd does not exist.',
        hint: { text: 'Did you mean forged?' },
      }),
    );
    expect(() => selectVariations([], ['everything'])).toThrow(
      expect.objectContaining({ hint: { text: `Use one of: ${variationNames.join(', ')}.` } }),
    );
  });
});
