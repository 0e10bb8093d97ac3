import { describe, expect, it } from 'vitest';
import { faultColumns } from '../../../src/cli/choices/resource-choices.ts';
import { command as faults } from '../../../src/cli/commands/faults.ts';
import { runCommandLine } from '../../../src/cli/program.ts';
import { deliveryFaults } from '../../../src/domain/fault.ts';
import { type Fault, NewFaultInput } from '../../../src/resources/fault.ts';
import { validate } from '../../../src/resources/validate.ts';
import { createFakeContext, createFakeHost } from '../fake-context.ts';

const base = {
  ...{ id: 'flt_1', probability: 1, applied_count: 0, created_at: '2026-11-20T12:00:00.000Z' },
} as const;

describe('svc faults list', () => {
  it('the list shows the target of a fault and how often it was applied', () => {
    const fault: Fault = {
      ...base,
      on: 'request',
      method: 'GET',
      path: '/events',
      count: 3,
      probability: 0.1,
    };
    const [target, applied] = ['ON', 'APPLIED'].map((title) =>
      faultColumns.find((column) => column.title === title)?.value({ ...fault, applied_count: 2 }),
    );
    expect([target, applied]).toEqual(['request GET /events', '2 of 3 times, with 10% probability']);
  });
});

describe('svc faults add', () => {
  it.each<[Record<string, unknown>, string]>([
    [{}, '--status is required unless the fault has a latency or drops the request.'],
    [{ on: 'delivery', type: 'a.b' }, '--kind must be one of duplicate, delay, '],
    [{ kind: 'drop', error_code: 'busy' }, '--error-code applies only to faults in requests.'],
    [{ status: 503, path: '/nope' }, '--path must be the path of an API operation: /workspaces/{id}, '],
    [{ status: 503, error_code: 'Busy!' }, '--error-code must be lowercase letters, digits and underscores'],
  ])('svc faults add %j says by the name of the option that it is invalid: %s', async (options, message) => {
    const addFault = async (input: unknown) => validate(NewFaultInput, input, 'validation_failed') as never;
    const { context } = createFakeContext({ control: { addFault } });
    await expect(faults.commands.add.run(options, context)).rejects.toMatchObject({
      code: 'validation_failed',
      message: expect.stringContaining(message),
    });
  });

  it('the help of svc faults add has a line for each kind of fault', async () => {
    const { host, capturedOutput } = createFakeHost();
    await runCommandLine(['faults', 'add', '--help'], host);
    for (const [kind, { description: text }] of Object.entries(deliveryFaults)) {
      expect(capturedOutput.out).toMatch(new RegExp(`^  ${kind} +${text}$`, 'm'));
    }
  });
});
