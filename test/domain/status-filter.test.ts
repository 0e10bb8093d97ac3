import { describe, expect, it } from 'vitest';
import {
  matchesStatus,
  parseResponseFilter,
  parseStatusFilter,
  type ResponseFilter,
} from '../../src/domain/status-filter.ts';

describe('the filter of a status', () => {
  it.each([
    ['404', 404],
    ['0', 0],
    ['599', 599],
    ['4xx', '4xx'],
    ['5XX', '5xx'],
    ['600', null],
    ['0404', null],
    ['4.5', null],
    ['-1', null],
    ['6xx', null],
    ['none', null],
    ['', null],
  ])('parseStatusFilter(%j) returns %j', (text, filter) => {
    expect(parseStatusFilter(text)).toBe(filter);
  });

  it.each([
    ['none', 'none'],
    ['None', 'none'],
    ['100', 100],
    ['99', null],
    ['0', null],
    ['1xx', '1xx'],
    ['nothing', null],
  ])('parseResponseFilter(%j), in which 0 is not a status, returns %j', (text, filter) => {
    expect(parseResponseFilter(text)).toBe(filter);
  });

  it.each<[ResponseFilter | undefined, number[]]>([
    [404, [404]],
    ['4xx', [400, 404, 499]],
    ['5xx', [500]],
    ['none', [0]],
    [undefined, [0, 1, 399, 400, 404, 499, 500]],
  ])('the filter %s selects the statuses %j', (filter, selected) => {
    expect([0, 1, 399, 400, 404, 499, 500].filter((status) => matchesStatus(filter, status))).toEqual(
      selected,
    );
  });
});
