import { describe, expect, it, onTestFinished } from 'vitest';
import { hasStatus, textFilter } from '../../src/resources/list-fields.ts';
import { Database } from '../support/sqlite.ts';

describe('textFilter', () => {
  it.each([
    ['ORDER.shipped', 'r.s', 1],
    ['order', 'Orders', 0],
    ['Grüße', 'GRüß', 1],
    ['Grüße', 'GRÜß', 0],
    ['100 %', '0 %', 1],
    ['', '', 1],
  ])('%j has the text %j: %d, whatever the case of the letters A to Z', (column, text, expected) => {
    expect(evaluate(textFilter('', ['@column']).text.sql, { column, text })).toBe(expected);
  });
});

describe('hasStatus', () => {
  it.each<[number, string | number, 0 | 1]>([
    [404, 404, 1],
    [404, 405, 0],
    [404, '4xx', 1],
    [404, '5xx', 0],
    [0, 'none', 1],
    [200, 'none', 0],
    [0, 0, 1],
  ])('the status %d has the value %s: %d', (status, filter, expected) => {
    expect(evaluate(hasStatus('CAST(@status AS INTEGER)', '@filter'), { status, filter })).toBe(expected);
  });
});

function evaluate(condition: string, values: Record<string, string | number>): number | undefined {
  const db = new Database(':memory:');
  onTestFinished(() => void db.close());
  return db.prepare<[object], number>(`SELECT ${condition}`).pluck().get(values);
}
