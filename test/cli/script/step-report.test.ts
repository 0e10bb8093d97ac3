import { describe, expect, it } from 'vitest';
import {
  findMismatch,
  formatExpectation,
  serializeStepReport,
  toStepLabel,
} from '../../../src/cli/script/step-report.ts';
import type { Expectation, ScriptStep } from '../../../src/fixtures/script-fixtures.ts';
import type { Delivery } from '../../../src/resources/delivery.ts';
import { createDelivery } from '../../dashboard/example-delivery.ts';

describe('an expectation', () => {
  it.each<[string, Expectation]>([
    ['every delivery: succeeded', { status: 'succeeded' }],
    ['1 delivery', { deliveries: 1 }],
    [
      '2 deliveries of paid to shop: failed after 1 attempt',
      {
        ...{ event: 'paid', webhook: 'shop', deliveries: 2, status: 'failed', attempt_count: 1 },
      },
    ],
    ['every delivery: after 3 attempts', { attempt_count: 3 }],
  ])('"%s" describes %j', (text, expectation) => {
    expect(formatExpectation(expectation)).toBe(text);
  });

  const deliveries: readonly Delivery[] = [
    createDelivery({ id: 'del_1', status: 'succeeded', attempt_count: 1 }),
    createDelivery({ id: 'del_2', status: 'failed', attempt_count: 2 }),
  ];

  it.each<[Expectation, string | null]>([
    [{ deliveries: 2 }, null],
    [{ deliveries: 1 }, 'found 2 deliveries'],
    [{ deliveries: 3, status: 'failed' }, 'found 2 deliveries'],
    [{ status: 'succeeded' }, 'del_2 is failed after 2 attempts'],
    [{ status: 'failed' }, 'del_1 is succeeded after 1 attempt'],
    [{ attempt_count: 1 }, 'del_2 is failed after 2 attempts'],
    [{ status: 'pending', attempt_count: 1 }, 'del_1 is succeeded after 1 attempt'],
  ])('%j of a succeeded and a failed delivery has the mismatch %j', (expectation, mismatch) => {
    expect(findMismatch(expectation, deliveries)).toBe(mismatch);
  });

  it('an expectation of a status is met without deliveries, and one of their number is not', () => {
    expect(findMismatch({ status: 'succeeded' }, [])).toBeNull();
    expect(findMismatch({ deliveries: 1 }, [])).toBe('found 0 deliveries');
  });
});

describe('the report of a step', () => {
  const settle: ScriptStep = { name: null, kind: 'settle' };

  it.each<[string, ScriptStep]>([
    ['paid', { name: 'paid', kind: 'advance', ms: 1_000 }],
    ['advance 5m', { name: null, kind: 'advance', ms: 300_000 }],
    ['wait 2s', { name: null, kind: 'wait', ms: 2_000 }],
    ['settle', settle],
  ])('a step is labeled "%s"', (label, step) => {
    expect(toStepLabel(step)).toBe(label);
  });

  it('the JSON of a step has its name, its kind, whether it is met, and the fields of its result', () => {
    const report = { step: { ...settle, name: 'all' }, lines: [] };
    expect(serializeStepReport({ ...report, ok: true, result: '{"n":1.0}' })).toBe(
      '{"name":"all","kind":"settle","ok":true,"n":1.0}',
    );
    expect(serializeStepReport({ ...report, ok: null, result: '{}' })).toBe('{"name":"all","kind":"settle"}');
  });
});
