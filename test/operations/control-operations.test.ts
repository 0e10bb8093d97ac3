import * as v from 'valibot';
import { expect, it } from 'vitest';
import { controlOperations } from '../../src/operations/control-operations.ts';
import { validateInput } from '../../src/operations/operation.ts';
import { SeedFault } from '../../src/resources/fault.ts';
import { listProblems } from '../../src/resources/validate.ts';

it('every duration in the input of an operation can be a text such as 1m', () => {
  const durations = Object.values(controlOperations).flatMap(({ input }) =>
    Object.entries<v.GenericSchema>(input.entries).filter(([name]) => /(?:^|_)ms$/.test(name)),
  );
  expect(durations.length).toBeGreaterThan(6);
  expect(durations.filter(([, schema]) => v.parse(schema, '1m') !== 60_000)).toEqual([]);
});

it('the durations of faults in a seed can be texts', () => {
  const fault = { on: 'request', latency_ms: '2s' };
  expect(v.parse(SeedFault, fault)).toEqual({ on: 'request', latency_ms: 2_000, probability: 1 });
  expect(listProblems(SeedFault, { ...fault, latency_ms: '2d' })[0]?.path).toBe('latency_ms');
});

it('a move of the clock accepts exactly one of ms and to', () => {
  const { advanceClock } = controlOperations;
  expect(validateInput(advanceClock, { ms: '35m' })).toEqual({ ms: 2_100_000 });
  const message = 'The body must have either ms or to.';
  expect(() => validateInput(advanceClock, {})).toThrow(message);
  expect(() => validateInput(advanceClock, { ms: '1s', to: '2100-01-01T00:00:00Z' })).toThrow(message);
});
