import { describe, expect, it } from 'vitest';
import {
  describeFailureRate,
  disturbanceNames,
  selectDisturbances,
  summarizeExploration,
} from '../../src/domain/exploration.ts';

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

describe('the result of an exploration in words', () => {
  const explored = { interrupted: false, runs: 100, requests: 1_203, duration_ms: 21_449, seed: 7 };

  it.each([
    [{ failure: null }, 'Played 100 histories with 1203 deliveries in 21.4s, seed 7. None broke a rule.'],
    [
      { failure: {}, interrupted: true, runs: 1, requests: 1 },
      'Interrupted after 1 history with 1 delivery in 21.4s, seed 7. One broke a rule.',
    ],
    [
      { failure: {}, runs: 0, requests: 1, duration_ms: 60 },
      'Played 0 histories with 1 delivery in 100ms, seed 7. Even a single delivery broke a rule.',
    ],
  ])('an exploration that differs in %j is summarized as %j', (change, summary) => {
    expect(summarizeExploration({ ...explored, ...change })).toBe(summary);
  });

  it.each([
    [1, 1, 'It was played only once.'],
    [5, 5, 'Fails every time (5 of 5).'],
    [2, 5, 'Fails 2 of 5 times.'],
  ])('the rate of %d failures in %d plays is described as %j', (failed, played, text) => {
    expect(describeFailureRate({ failed, played })).toBe(text);
  });
});
