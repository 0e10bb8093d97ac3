import { describe, expect, it } from 'vitest';
import { add, faultColumns } from '../../../src/cli/commands/faults.ts';
import type { Fault } from '../../../src/contract/fault-schemas.ts';
import { describeAppliedFault, describeEffect } from '../../../src/control/describe-fault.ts';
import { createFakeContext } from '../fake-context.ts';

const base = {
  ...{ id: 'flt_1', probability: 1, fired: 0, created_at: '2026-11-20T12:00:00.000Z' },
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

  it('the list shows the target of a fault and how often it has fired', () => {
    const fault: Fault = {
      ...base,
      on: 'request',
      method: 'GET',
      path: '/events',
      count: 3,
      probability: 0.1,
    };
    const [target, fired] = ['ON', 'APPLIED'].map((title) =>
      faultColumns.find((column) => column.title === title)?.value({ ...fault, fired: 2 }),
    );
    expect([target, fired]).toEqual(['request GET /events', '2 of 3 times, with 10% probability']);
  });

  it('an affected delivery names its fault, and others do not', () => {
    expect(describeAppliedFault({ id: 'flt_1', kind: 'duplicate' })).toBe('duplicate (flt_1)');
    expect(describeAppliedFault(undefined)).toBeNull();
  });
});

describe('svc faults add', () => {
  it.each<[Parameters<typeof add.run>[0], string]>([
    [{}, '--status is required unless --latency or --drop is given.'],
    [{ latency: 9e9 }, '--latency must be from 1 to 86400000.'],
    [{ kind: 'drop', errorCode: 'busy' }, '--error-code applies only to faults in requests.'],
    [
      { status: 503, path: '/nope' },
      '--path must be the path of an API operation: /workspaces/{id}, /events, /events/{id}, /webhooks.',
    ],
  ])('svc faults add rejects %j by the names of its options', async (options, message) => {
    const { context } = createFakeContext();
    await expect(add.run(options, context)).rejects.toMatchObject({ code: 'usage', message });
  });
});
