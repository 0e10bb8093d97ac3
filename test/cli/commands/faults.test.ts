import { describe, expect, it, vi } from 'vitest';
import { faultColumns } from '../../../src/cli/choices/resource-choices.ts';
import { command as faults } from '../../../src/cli/commands/faults.ts';
import { runCommandLine } from '../../../src/cli/program.ts';
import { deliveryFaults } from '../../../src/domain/fault.ts';
import { type Fault, NewFaultInput } from '../../../src/resources/fault.ts';
import { validate } from '../../../src/resources/validate.ts';
import { createFakeContext, createFakeHost } from '../fake-context.ts';
import { createPromptContext, ENTER } from '../prompt-context.ts';

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
    [{ on: 'delivery', status: 503 }, '--kind must be one of duplicate, delay, '],
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

  it('svc faults add asks in a terminal which fault to add, and adds the chosen one to deliveries', async () => {
    const addFault = vi.fn(async (input: object) => ({ ...base, ...input }) as Fault);
    const { context, press } = createPromptContext({ control: { addFault } });
    const added = faults.commands.add.run({ count: 1 }, context);
    await press('slowl', 'duplicate');
    await press('y', /slowl\n❯ slow-body/);
    await press(ENTER, /slowly\n❯ slow-body/);
    await added;
    expect(addFault).toHaveBeenCalledExactlyOnceWith({ count: 1, on: 'delivery', kind: 'slow-body' });
  });

  it.each([
    ['the choice status', {}, true],
    ['--on request', { on: 'request' }, false],
  ])('svc faults add asks in a terminal for the status after %s', async (_, options, isAsked) => {
    const addFault = vi.fn(async (input: object) => ({ ...base, ...input }) as Fault);
    const { context, press } = createPromptContext({ control: { addFault } });
    const added = faults.commands.add.run(options, context);
    if (isAsked) {
      await press('AP', 'duplicate');
      await press('I', /AP\n❯ status/);
      await press(ENTER, /API\n❯ status/);
    }
    await press('503\r', '--status:');
    await added;
    expect(addFault).toHaveBeenCalledExactlyOnceWith({ on: 'request', status: 503 });
  });

  it.each([
    [{}, '--kind', 'Add: --kind <kind>. For a fault in requests, add --status <status>'],
    [{ on: 'request' }, '--status', 'Add: --status <status>'],
  ])('svc faults add %j names the missing option without a terminal', async (options, option, hint) => {
    await expect(faults.commands.add.run(options, createFakeContext().context)).rejects.toMatchObject({
      code: 'usage',
      message: `Missing option: ${option}`,
      hint: { text: hint },
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
