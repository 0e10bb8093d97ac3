import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { createRowReader, toColumns } from '../../src/store/columns.ts';

const fields = {
  name: v.string(),
  count: v.number(),
  created_at: v.pipe(v.string(), v.isoTimestamp()),
  ended_at: v.nullable(v.pipe(v.string(), v.isoTimestamp())),
  disabled: v.boolean(),
  types: v.pipe(v.array(v.string()), v.minLength(1)),
  headers: v.nullable(v.record(v.string(), v.string())),
  fault: v.optional(v.object({ kind: v.string() })),
};

describe('createRowReader', () => {
  const read = createRowReader(fields);
  const row = { name: '7', count: 7, created_at: 1_000, disabled: 1, types: '["a.b"]' } as const;

  it('the reader returns only the fields of the resource, converted as its schema says', () => {
    const other = { seq: 1, ended_at: 2_000, headers: '{"A":"b"}', fault: '{"kind":"drop"}' };
    expect(read({ ...row, ...other })).toEqual({
      ...{
        name: '7',
        count: 7,
        created_at: '1970-01-01T00:00:01.000Z',
        ended_at: '1970-01-01T00:00:02.000Z',
      },
      ...{ disabled: true, types: ['a.b'], headers: { A: 'b' }, fault: { kind: 'drop' } },
    });
  });

  it('a column that is null makes an optional field missing and any other field null', () => {
    const value = read({ ...row, disabled: 0, ended_at: null, headers: null, fault: null });
    expect(value).toMatchObject({ disabled: false, ended_at: null, headers: null });
    expect(value).not.toHaveProperty('fault');
  });
});

it('toColumns converts the values of settings, and omits other values and those that are undefined', () => {
  const values = { name: 'A', disabled: true, types: ['a.b'], count: undefined, other: 1 };
  expect(toColumns(fields, values)).toEqual({ name: 'A', disabled: 1, types: '["a.b"]' });
  expect(toColumns(fields, { disabled: false, headers: null })).toEqual({ disabled: 0, headers: null });
});
