import { describe, expect, it } from 'vitest';
import { matchesStatus, type ResponseFilter } from '../../src/domain/status-filter.ts';

describe('the filter of a status', () => {
  it.each<[ResponseFilter, number[]]>([
    [404, [404]],
    ['4xx', [400, 404, 499]],
    ['5xx', [500]],
    ['none', [0]],
  ])('the filter %s selects the statuses %j', (filter, selected) => {
    expect([0, 1, 399, 400, 404, 499, 500].filter((status) => matchesStatus(filter, status))).toEqual(
      selected,
    );
  });
});
