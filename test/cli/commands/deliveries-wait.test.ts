import { describe, expect, it, vi } from 'vitest';
import { wait as command } from '../../../src/cli/commands/deliveries.ts';
import { ExitCode } from '../../../src/domain/errors.ts';
import type { ControlInput } from '../../../src/operations/control-operations.ts';
import type { WaitReport } from '../../../src/operations/wait-schemas.ts';
import { aDelivery, aWaitReport, clockAt, createFakeContext } from '../fake-context.ts';

type Options = Parameters<typeof command.run>[0];

async function wait(options: Options, report: WaitReport, json = false) {
  const inputs: ControlInput<'waitForDeliveries'>[] = [];
  const { context, capturedOutput } = createFakeContext({
    json,
    control: {
      ...clockAt(),
      waitForDeliveries: async (input) => {
        inputs.push(input);
        return report;
      },
    },
  });
  const [result] = await Promise.allSettled([command.run(options, context)]);
  return { result, inputs, ...capturedOutput };
}

const succeeded = aDelivery({ id: 'del_1', status: 'succeeded' });
const failed = aDelivery({ id: 'del_2', status: 'failed', next_attempt_at: null });
const details = ['del_2 failed after 1 attempt: the receiver responded with 503'];
const explain = { text: 'Show why', command: 'svc explain del_2' };
const unmet = { settled: false, reason: 'stalled', message: '1 delivery is paused.' } as const;

describe('svc deliveries wait', () => {
  it('the options are the input of the operation', async () => {
    const options = { type: 'order.shipped', count: 2, status: 'failed', keepWaiting: true } as const;
    const { inputs } = await wait(options, aWaitReport([failed]));
    const { keepWaiting: keep_waiting, ...rest } = options;
    expect(inputs).toEqual([{ ...rest, keep_waiting, timeout_ms: 30_000 }]);
    expect((await wait({ timeout: 5 }, aWaitReport([]))).inputs).toEqual([{ timeout_ms: 5 }]);
  });

  it('the wait succeeds when every matching delivery has settled, and prints them and what failed', async () => {
    const report = aWaitReport([failed, succeeded], { details, hint: explain });
    const { result, out, err } = await wait({}, report);
    expect(result).toMatchObject({ status: 'fulfilled' });
    expect(out).toMatch(/del_2[\s\S]*del_1/);
    expect(err).toBe(`${details[0]}\nhint: Show why with: svc explain del_2\n`);
    const json = await wait({}, report, true);
    expect(JSON.parse(json.out)).toEqual({ data: [failed, succeeded], has_more: false, end_cursor: 'del_1' });
    expect(json.err).toBe('');
  });

  it.each([
    ['unexpected_status', ExitCode.failure],
    ['stalled', ExitCode.failure],
    ['timeout', ExitCode.timeout],
  ] as const)(
    'a wait with the result %s is an error with the text of the emulator and the exit code %i',
    async (reason, exitCode) => {
      const report = aWaitReport([failed], { ...unmet, reason, details, hint: explain });
      const { result, out, err } = await wait({}, report);
      expect(result).toMatchObject({
        reason: { code: reason, exitCode, message: '1 delivery is paused.', hint: explain },
      });
      expect(out).toContain('del_2');
      expect(err).toBe(`${details[0]}\n`);
    },
  );

  it('a wait that no delivery matches prints only why', async () => {
    const { out, err } = await wait({}, aWaitReport([], { ...unmet, details: ['No event was created.'] }));
    expect([out, err]).toEqual(['', 'No event was created.\n']);
  });

  it('a terminal shows the progress', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const lines: string[] = [];
    const pending = aDelivery({ id: 'del_3' });
    const { context } = createFakeContext({
      progress: (line) => lines.push(line),
      control: {
        ...clockAt(),
        waitForDeliveries: async ({ timeout_ms, limit }) => {
          if (timeout_ms === 0) return aWaitReport([pending, succeeded].slice(0, 1 + Number(limit)));
          await vi.advanceTimersByTimeAsync(250);
          return aWaitReport([succeeded]);
        },
      },
    });
    await command.run({}, context);
    vi.useRealTimers();
    expect(lines).toEqual(['Settled ████████████░░░░░░░░░░░░ 1/2', '']);
  });
});
