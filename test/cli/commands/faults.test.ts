import { describe, expect, it, vi } from 'vitest';
import { command as faults } from '../../../src/cli/commands/faults.ts';
import type { Fault } from '../../../src/resources/fault.ts';
import { createPromptContext, ENTER } from '../prompt-context.ts';

const base = {
  ...{ id: 'flt_1', probability: 1, applied_count: 0, created_at: '2026-11-20T12:00:00.000Z' },
} as const;

describe('svc faults add', () => {
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
});
