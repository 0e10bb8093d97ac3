import { describe, expect, it } from 'vitest';
import type { Fault } from '../../src/resources/fault.ts';
import {
  describeAppliedCount,
  describeAppliedFault,
  describeEffect,
  describeTarget,
} from '../../src/resources/fault.ts';

const base = {
  ...{ id: 'flt_1', probability: 1, applied_count: 0, created_at: '2026-11-20T12:00:00.000Z' },
} as const;

describe('the description of a fault', () => {
  it.each<[Partial<Fault>, string]>([
    [{ on: 'request', status: 503, error_code: 'busy', latency_ms: 2_000 }, 'latency 2s, status 503 busy'],
    [{ on: 'request', drop: 'after' }, 'connection closed after the operation'],
    [{ on: 'delivery', kind: 'delay', delay_ms: 600_000 }, 'delay 10m'],
    [{ on: 'delivery', kind: 'old-secret' }, 'old-secret'],
    [{ on: 'delivery', kind: 'error-response' }, 'error-response, status 503'],
    [{ on: 'delivery', kind: 'error-response', status: 429 }, 'error-response, status 429'],
  ])('the rule %j is described as %s', (rule, words) => {
    expect(describeEffect({ ...base, on: 'request', ...rule })).toBe(words);
  });

  it.each<[Partial<Fault>, string]>([
    [{ applied_count: 0 }, '0 times'],
    [{ applied_count: 1 }, '1 time'],
    [{ applied_count: 0, count: 1 }, '0 of 1 times'],
    [{ applied_count: 2, probability: 0.999 }, '2 times, with 99.9% probability'],
  ])('the count of %j is described as "%s"', (fields, text) => {
    expect(describeAppliedCount({ ...base, on: 'request', ...fields })).toBe(text);
  });

  it('an affected delivery names its fault, and others do not', () => {
    expect(describeAppliedFault({ id: 'flt_1', kind: 'duplicate' })).toBe('duplicate (flt_1)');
    expect(describeAppliedFault(undefined)).toBeNull();
  });

  it('the target of a fault has the conditions that are set', () => {
    expect(describeTarget({ ...base, on: 'request', method: 'GET', path: '/events' })).toBe(
      'request GET /events',
    );
    expect(describeTarget({ ...base, on: 'delivery', type: 'a.b', webhook_id: 'wh_1' })).toBe(
      'delivery a.b wh_1',
    );
  });
});
