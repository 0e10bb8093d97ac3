import { describe, expect, it } from 'vitest';
import {
  boolean,
  byteSize,
  duration,
  listOf,
  number,
  objectOf,
  objectOrOff,
  oneOf,
  string,
  type ValueSchema,
  wholeNumber,
  withRule,
} from '../../src/profile/value-schema.ts';

const valueLocation = { path: 'value', hint: 'Try again.' };
const read = <T>(valueSchema: ValueSchema<T>, value: unknown) => valueSchema.parse(value, valueLocation);

describe('value schemas', () => {
  it('a value schema reads plain values that a person wrote', () => {
    expect(read(oneOf({ open: 'a', closed: 'b' }), 'closed')).toBe('closed');
    expect(read(duration('1s', '24h'), '1h30m')).toBe(5_400_000);
    expect(read(byteSize('1KiB', '1MiB'), '64 KiB')).toBe(65_536);
    expect(read(wholeNumber(1, 3), 3)).toBe(3);
    expect(read(number(0, 0.5), 0.25)).toBe(0.25);
    expect(read(boolean(), false)).toBe(false);
    expect(read(string('a name'), 'x')).toBe('x');
    expect(read(listOf(duration('1s', '24h')), ['1s', '2s'])).toEqual([1_000, 2_000]);
    expect(read(objectOf({ connect: duration('1s', '9s') }), { connect: '2s' })).toEqual({ connect: 2_000 });
    expect(read(objectOrOff(objectOf({ burst: wholeNumber(1, 9) })), 'off')).toBeNull();
  });

  it.each<[string, ValueSchema<unknown>, unknown, string]>([
    ['an unknown word', oneOf({ on: '', off: '' }), 'of', 'value must be "on" or "off", not "of".'],
    [
      'an inherited name',
      oneOf({ on: '', off: '' }),
      'toString',
      'value must be "on" or "off", not "toString".',
    ],
    [
      'a number instead of a duration',
      duration('1s', '9s'),
      5,
      'value must be a duration from 1s to 9s, written like',
    ],
    ['a duration out of range', duration('1s', '9s'), '10s', 'not "10s".'],
    ['a size without unit', byteSize('1B', '9B'), '5', 'value must be a size from 1B to 9B, written like'],
    ['a size out of range', byteSize('1B', '9B'), '1KiB', 'not "1KiB".'],
    ['a fraction', wholeNumber(1, 3), 1.5, 'value must be a whole number from 1 to 3, not 1.5.'],
    ['NaN', number(0, 1), Number.NaN, 'value must be a number from 0 to 1, not NaN.'],
    ['a word instead of a Boolean', boolean(), 'yes', 'value must be true or false, not "yes".'],
    ['empty text', string('a name'), '', 'value must be a name, not "".'],
    [
      'an empty list',
      listOf(string('a name')),
      [],
      'value must be a list of at least one item, each a name, not [].',
    ],
    ['an invalid item', listOf(string('a name')), ['x', 7], 'value[1] must be a name, not 7.'],
    [
      'a list instead of an object',
      objectOf({ a: string('a name') }),
      ['x'],
      'value must be an object with "a", not',
    ],
    ['an invalid field', objectOf({ a: string('a name') }), { a: 7 }, 'value.a must be a name, not 7.'],
    ['a missing field', objectOf({ a: string('a name') }), {}, 'value.a is missing. It must be a name.'],
    [
      'null',
      objectOrOff(objectOf({ a: string('a name') })),
      null,
      'value must be "off" or an object with "a", not null.',
    ],
    ['a broken rule', withRule(wholeNumber(1, 9), 'even', (n) => n % 2 === 0), 3, '1 to 9, even, not 3.'],
  ])('a value schema refuses %s and says what is accepted', (_, valueSchema, value, message) => {
    expect(() => read(valueSchema, value)).toThrow(
      expect.objectContaining({ code: 'validation_failed', hint: 'Try again.' }),
    );
    expect(() => read(valueSchema, value)).toThrow(message);
  });

  it('a value schema suggests the field that was probably meant', () => {
    const valueSchema = objectOf({ connect: string('a'), attempt: string('b') });
    expect(() => read(valueSchema, { conect: 'x' })).toThrow(
      expect.objectContaining({ message: 'value has no field "conect".', hint: 'Did you mean "connect"?' }),
    );
    expect(() => read(valueSchema, JSON.parse('{"__proto__": 1}'))).toThrow(
      'value has no field "__proto__".',
    );
  });

  it('a value schema truncates a long value in the message', () => {
    expect(() => read(string('a name'), Array(100).fill(0))).toThrow(/, not .{80}…\.$/);
  });
});
