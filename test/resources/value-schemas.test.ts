import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { objectOf, objectOrOff, oneOf, withRule } from '../../src/profile/gap-schemas.ts';
import { parseConfigured } from '../../src/resources/configured-value.ts';
import { validate } from '../../src/resources/validate.ts';
import {
  byteSize,
  duration,
  durationFrom,
  listOf,
  number,
  text,
  wholeNumber,
} from '../../src/resources/value-schemas.ts';
import { described } from '../../src/resources/values.ts';

const valueLocation = { path: 'value', toHint: (expected: string) => `Pass ${expected}.` };
const read = (schema: v.GenericSchema, value: unknown) => parseConfigured(schema, value, valueLocation);

describe('value schemas', () => {
  it('a value schema reads plain values that a person wrote', () => {
    expect(read(oneOf({ open: 'a', closed: 'b' }), 'closed')).toBe('closed');
    expect(read(duration(wholeNumber(1_000, 86_400_000)), '1h30m')).toBe(5_400_000);
    expect(read(byteSize('1KiB', '1MiB'), '64 KiB')).toBe(65_536);
    expect(read(wholeNumber(1, 3), 3)).toBe(3);
    expect(read(number(0, 0.5), 0.25)).toBe(0.25);
    expect(read(v.boolean(), false)).toBe(false);
    expect(read(text('a name'), 'x')).toBe('x');
    expect(read(listOf(duration(wholeNumber(1_000, 86_400_000))), ['1s', '2s'])).toEqual([1_000, 2_000]);
    expect(read(objectOf({ connect: duration(wholeNumber(1_000, 9_000)) }), { connect: '2s' })).toEqual({
      connect: 2_000,
    });
    expect(read(objectOrOff(objectOf({ burst: wholeNumber(1, 9) })), 'off')).toBeNull();
  });

  it.each<[string, v.GenericSchema, unknown, string, string]>([
    ['an unknown word', oneOf({ on: '', off: '' }), 'of', 'value: "of"', 'one of "on", "off"'],
    ['an inherited name', oneOf({ on: '', off: '' }), 'toString', 'value: "toString"', 'one of "on", "off"'],
    [
      'a number instead of a duration',
      duration(wholeNumber(1_000, 9_000)),
      5,
      'value: 5',
      'a duration from 1s to 9s, written like "90s" or "1h30m"',
    ],
    [
      'a duration out of range',
      duration(wholeNumber(1_000, 9_000)),
      '10s',
      'value: "10s"',
      'a duration from 1s to 9s, written like "90s" or "1h30m"',
    ],
    ['a missing unit', byteSize('1B', '9B'), '5', 'value: "5"', 'a size from 1B to 9B, written like "64KiB"'],
    ['0 bytes', byteSize('1B', '9B'), '0B', 'value: "0B"', 'a size from 1B to 9B, written like "64KiB"'],
    ['10 bytes', byteSize('1B', '9B'), '10B', 'value: "10B"', 'a size from 1B to 9B, written like "64KiB"'],
    ['a fraction', described('A.', wholeNumber(1, 3)), 1.5, 'value: 1.5', 'a whole number from 1 to 3'],
    ['NaN', number(0, 1), Number.NaN, 'value: NaN', 'a number from 0 to 1'],
    ['a word instead of a Boolean', v.boolean(), 'yes', 'value: "yes"', 'true or false'],
    ['empty text', text('a name'), '', 'value: ""', 'a name'],
    ['an empty list', listOf(text('a name')), [], 'value: []', 'a list of at least one item, each a name'],
    ['an invalid item', listOf(text('a name')), ['x', 7], 'value[1]: 7', 'a name'],
    [
      'a list instead of an object',
      objectOf({ a: text('a name') }),
      ['x'],
      "value: [ 'x' ]",
      'an object with "a"',
    ],
    ['an invalid field', objectOf({ a: text('a name') }), { a: 7 }, 'value.a: 7', 'a name'],
    [
      'null',
      objectOrOff(objectOf({ a: text('a name') })),
      null,
      'value: null',
      '"off" or an object with "a"',
    ],
    [
      'a broken rule',
      withRule(wholeNumber(1, 9), 'even', (n) => n % 2 === 0),
      3,
      'value: 3',
      'a whole number from 1 to 9, even',
    ],
  ])('a value schema refuses %s and says what is accepted', (_, valueSchema, value, problem, expected) => {
    expect(() => read(valueSchema, value)).toThrow(
      expect.objectContaining({
        code: 'validation_failed',
        message: `Invalid value for ${problem}`,
        hint: { text: `Pass ${expected}.` },
      }),
    );
  });

  it('a value schema refuses a missing field, and the error names the file', () => {
    const schema = objectOf({ a: text('a name') });
    expect(() => parseConfigured(schema, {}, { ...valueLocation, file: 'svc.config.json' })).toThrow(
      expect.objectContaining({
        message: 'Missing value for value.a in svc.config.json',
        hint: { text: 'Pass a name.' },
      }),
    );
  });

  it('a value schema suggests the field that was probably meant', () => {
    const valueSchema = objectOf({ connect: text('a'), attempt: text('b') });
    expect(() => read(valueSchema, { conect: 'x' })).toThrow(
      expect.objectContaining({
        message: 'value has no field "conect".',
        hint: { text: 'Did you mean "connect"?' },
      }),
    );
    expect(() => read(valueSchema, JSON.parse('{"__proto__": 1}'))).toThrow(
      expect.objectContaining({
        message: 'value has no field "__proto__".',
        hint: { text: 'Use one of: connect, attempt' },
      }),
    );
  });

  it('a value schema truncates a long value in the message', () => {
    expect(() => read(text('a name'), Array(100).fill(0))).toThrow(/: .{80}…$/);
  });
});

describe('durations in the input of operations', () => {
  const schema = v.strictObject({ overlap_ms: v.optional(durationFrom(0, 60_000)) });

  it.each([
    ['45s', 45_000],
    [' 1m ', 60_000],
    ['250ms', 250],
    ['0s', 0],
    ['250', 250],
    [45_000, 45_000],
    [undefined, undefined],
  ])('the duration %j is %j milliseconds', (overlap_ms, ms) => {
    expect(validate(schema, { overlap_ms }, 'validation_failed')).toEqual({ overlap_ms: ms });
  });

  it.each([
    ['2m', '"2m"'],
    ['99999999999999999999d', '"99999999999999999999d"'],
    ['60001', '"60001"'],
    [60_001, '60001'],
    [-1, '-1'],
    [1.5, '1.5'],
    ['-1s', '"-1s"'],
    ['', '""'],
    [null, 'null'],
    [['1m'], 'an array'],
  ])('the duration %j is rejected', (overlap_ms, shown) => {
    const message = `overlap_ms must be a duration from 0ms to 1m, written like "90s" or "1h30m", or in milliseconds, not ${shown}.`;
    expect(() => validate(schema, { overlap_ms }, 'validation_failed')).toThrow(message);
  });
});
