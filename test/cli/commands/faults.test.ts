import { describe, expect, it } from 'vitest';
import { add, faultColumns } from '../../../src/cli/commands/faults.ts';
import { runCommandLine } from '../../../src/cli/program.ts';
import type { Fault } from '../../../src/contract/fault-schemas.ts';
import { deliveryFaultDescriptions } from '../../../src/domain/fault.ts';
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
  it.each<[Parameters<typeof add.run>[0], string, string]>([
    [
      {},
      'Missing option: --on',
      'Add: --on <target>. Use request with --status, --latency or --drop, and delivery with --kind. Read about each kind with: svc faults add --help',
    ],
    [
      { on: 'delivery', type: 'a.b' },
      'Missing option: --kind',
      'Add: --kind <kind>. Read about each kind with: svc faults add --help',
    ],
    [
      { on: 'request' },
      'Missing option: --status',
      'Add: --status <status>, --latency <duration> or --drop <when>',
    ],
    [
      { kind: 'drop', error_code: 'busy' },
      '--error-code applies only to faults in requests.',
      'Show which options apply to each target with: svc faults add --help',
    ],
    [
      { status: 503, path: '/nope' },
      'Invalid value for --path: "/nope"',
      'Pass the path of an API operation: /workspaces/{id}, /events, /events/{id}, /webhooks.',
    ],
    [
      { status: 503, error_code: 'Busy!' },
      'Invalid value for --error-code: "Busy!"',
      'Pass lowercase letters, digits and underscores, such as rate_limited.',
    ],
  ])('svc faults add rejects %j by the names of its options', async (options, message, hint) => {
    const { context } = createFakeContext();
    await expect(add.run(options, context)).rejects.toMatchObject({
      code: 'usage',
      message,
      text: `${message} ${hint}`,
    });
  });

  it('the help of svc faults add has a line for each kind of fault', async () => {
    const { host, capturedOutput } = createFakeHost();
    await runCommandLine(['faults', 'add', '--help'], host);
    for (const [kind, text] of Object.entries(deliveryFaultDescriptions)) {
      expect(capturedOutput.out).toMatch(new RegExp(`^  ${kind} +${text}$`, 'm'));
    }
  });
});
