import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { controlOperations } from '../../src/contract/control-operations.ts';
import { withDurationTexts } from '../../src/contract/duration-text.ts';
import { SeedFault } from '../../src/contract/fault-schemas.ts';
import { validateInput } from '../../src/contract/operation.ts';
import { listProblems, validate } from '../../src/validation/validate.ts';
import { wholeNumberFrom } from '../../src/validation/value-schemas.ts';

const schema = withDurationTexts(
  { id: v.string(), overlap_ms: v.optional(wholeNumberFrom(0, 60_000)) },
  { overlap: 'overlap_ms' },
);

describe('durations in the input of operations', () => {
  it.each([
    [{ overlap: '45s' }, { overlap_ms: 45_000 }],
    [{ overlap: ' 1m ' }, { overlap_ms: 60_000 }],
    [{ overlap: '250ms' }, { overlap_ms: 250 }],
    [{ overlap: '0s' }, { overlap_ms: 0 }],
    [{ overlap_ms: 45_000 }, { overlap_ms: 45_000 }],
    [{}, {}],
  ])('%j means %j', (input, output) => {
    expect(validate(schema, { id: 'a', ...input }, 'validation_failed')).toEqual({ id: 'a', ...output });
  });

  it.each([
    [
      { overlap: '2m' },
      'overlap must be a duration from 0ms to 1m, written like "90s" or "1h30m", not "2m".',
    ],
    [
      { overlap: '99999999999999999999d' },
      'overlap must be a duration from 0ms to 1m, written like "90s" or "1h30m", not "99999999999999999999d".',
    ],
    [
      { overlap: '-1s' },
      'overlap must be a duration from 0ms to 1m, written like "90s" or "1h30m", not "-1s".',
    ],
    [
      { overlap: '45' },
      'overlap must be a duration from 0ms to 1m, written like "90s" or "1h30m", not "45".',
    ],
    [{ overlap: '' }, 'overlap must be a duration from 0ms to 1m, written like "90s" or "1h30m", not "".'],
    [{ overlap: 45 }, 'overlap must be a duration from 0ms to 1m, written like "90s" or "1h30m", not 45.'],
    [
      { overlap: null },
      'overlap must be a duration from 0ms to 1m, written like "90s" or "1h30m", not null.',
    ],
    [
      { overlap: ['1m'] },
      'overlap must be a duration from 0ms to 1m, written like "90s" or "1h30m", not an array.',
    ],
    [{ overlap: '1s', overlap_ms: 1_000 }, 'overlap must not be combined with overlap_ms.'],
    [{ overlap_ms: '45s' }, 'overlap_ms must be a whole number from 0 to 60000, not "45s".'],
  ])('%j is rejected: %s', (input, message) => {
    expect(() => validate(schema, { id: 'a', ...input }, 'validation_failed')).toThrow(message);
  });

  it('every operation that accepts a duration in milliseconds accepts it as text too', () => {
    const durations = Object.entries(controlOperations).flatMap(([name, { input }]) => {
      const fields = Object.keys(input.entries);
      return fields
        .filter((field) => /(?:^|_)ms$/.test(field))
        .map((field) => ({ name, fields, text: field === 'ms' ? 'by' : field.replace('_ms', '') }));
    });
    expect(durations.length).toBeGreaterThan(7);
    expect(durations.filter(({ fields, text }) => !fields.includes(text))).toEqual([]);
  });

  it('a seed accepts the durations of faults as text', () => {
    const fault = { on: 'request', latency: '2s' };
    expect(v.parse(SeedFault, fault)).toEqual({ on: 'request', latency_ms: 2_000, probability: 1 });
    expect(listProblems(SeedFault, { ...fault, latency: '2d' })[0]?.path).toBe('latency');
  });

  it('a move of the clock accepts exactly one of by, ms and to', () => {
    const { advanceClock } = controlOperations;
    expect(validateInput(advanceClock, { by: '35m' })).toEqual({ ms: 2_100_000 });
    const message = 'The body must have either by, ms or to.';
    expect(() => validateInput(advanceClock, {})).toThrow(message);
    expect(() => validateInput(advanceClock, { by: '1s', to: '2100-01-01T00:00:00Z' })).toThrow(message);
  });
});
