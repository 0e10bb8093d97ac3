import { describe, expect, it, vi } from 'vitest';
import { command as advanceCommand } from '../../../src/cli/commands/clock/advance.ts';
import { command as freezeCommand } from '../../../src/cli/commands/clock/freeze.ts';
import { command as nextCommand } from '../../../src/cli/commands/clock/next.ts';
import { command as resumeCommand } from '../../../src/cli/commands/clock/resume.ts';
import { command as settleCommand } from '../../../src/cli/commands/clock/settle.ts';
import { command as showCommand } from '../../../src/cli/commands/clock/show.ts';
import { command as speedCommand } from '../../../src/cli/commands/clock/speed.ts';
import { renderClockMove } from '../../../src/cli/render/clock.ts';
import type { ClockMove, ClockState } from '../../../src/contract/emulator-schemas.ts';
import { ExitCode, SvcError } from '../../../src/errors.ts';
import { createFakeContext, type FakeOptions } from '../fake-context.ts';

const state: ClockState = {
  workspace_id: 'ws_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D',
  now: '2026-11-23T12:00:00.000Z',
  rate: 3600,
  wall: '2026-11-20T12:00:00.000Z',
  next_due_at: '2026-11-23T12:05:00.000Z',
};

const move: ClockMove = {
  ...state,
  paused: [],
  rate: 0,
  next_due_at: null,
  attempts: [
    {
      id: 'att_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D_2',
      number: 2,
      trigger: 'schedule',
      scheduled_at: '2026-11-20T12:05:00.000Z',
      sent_at: '2026-11-20T12:00:00.000Z',
      duration_ms: 12,
      outcome: 'http_error',
      response_status: 503,
      error: 'the receiver answered 503',
      delivery_id: 'del_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D',
      event_type: 'order.shipped',
      webhook_id: 'wh_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D',
    },
  ],
  pending: 1,
};

/** A control plane that gives the same answers always and keeps what it was asked. */
function fake(
  options: FakeOptions = {},
  moved: Promise<ClockMove> = Promise.resolve(move),
  change: Partial<ClockState> = {},
) {
  const asked: unknown[] = [];
  const ask =
    <Answer>(name: string, answer: Promise<Answer>) =>
    (input: object) => {
      asked.push([name, input]);
      return answer;
    };
  const control = {
    getClock: ask('getClock', Promise.resolve({ ...state, ...change })),
    setClock: ask('setClock', Promise.resolve(state)),
    advanceClock: ask('advanceClock', moved),
    nextClock: ask('nextClock', moved),
    settleClock: ask('settleClock', moved),
  };
  return { asked, ...createFakeContext({ ...options, control }) };
}

describe('the clock commands', () => {
  it.each([
    ['show', showCommand, {}, 'getClock', {}],
    ['speed', speedCommand, { speed: 3600 }, 'setClock', { speed: 3600 }],
    ['freeze', freezeCommand, {}, 'setClock', { frozen: true }],
    ['resume', resumeCommand, {}, 'setClock', { frozen: false }],
    ['advance', advanceCommand, { duration: 300_000 }, 'advanceClock', { ms: 300_000 }],
    ['next', nextCommand, {}, 'nextClock', {}],
    ['settle', settleCommand, {}, 'settleClock', {}],
  ])('%s names the workspace and prints the answer as it is', async (_, command, options, call, input) => {
    const { asked, context, capturedOutput } = fake({ json: true });
    await command.run({ ...options, workspace: 'ws_1' } as never, context);
    await command.run(options as never, context);
    expect(asked).toEqual([
      [call, { workspace_id: 'ws_1', ...input }],
      [call, { workspace_id: 'ws_default', ...input }],
    ]);
    const answer = call === 'getClock' || call === 'setClock' ? state : move;
    expect(capturedOutput.out).toBe(`${JSON.stringify(answer, null, 2)}\n`.repeat(2));
  });

  it('tell the next attempt from the time of the schedule', async () => {
    const { context, capturedOutput } = fake();
    await showCommand.run({}, context);
    expect(capturedOutput.out).toMatchInlineSnapshot(`
      "Workspace      ws_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D
      Schedule time  2026-11-23T12:00:00.000Z
      Wall time      2026-11-20T12:00:00.000Z
      Speed          3600×
      Next attempt   2026-11-23T12:05:00.000Z (in 5m)
      "
    `);
  });

  it('list the attempts that a move caused', async () => {
    const { context, capturedOutput } = fake();
    await settleCommand.run({}, context);
    expect(capturedOutput.out).toMatchInlineSnapshot(`
      "SCHEDULED            OUTCOME           TOOK  TYPE           DELIVERY                        TRY  ERROR
      2026-11-20 12:05:00  ✗ http_error 503  12ms  order.shipped  del_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D  2    the receiver answered 503

      Workspace      ws_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D
      Schedule time  2026-11-23T12:00:00.000Z
      Wall time      2026-11-20T12:00:00.000Z
      Speed          frozen
      Next attempt   none planned
      Pending        1 delivery
      "
    `);
  });

  it('say so when nothing fell due', async () => {
    const { context, capturedOutput } = fake({}, Promise.resolve({ ...move, attempts: [], pending: 0 }));
    await nextCommand.run({}, context);
    expect(capturedOutput.out).toContain('No attempt fell due.');
    expect(capturedOutput.out).toContain('0 deliveries');
  });

  it('say where the clock stopped when they are interrupted, and end with exit code 130', async () => {
    const interruption = new AbortController();
    const moved = new Promise<ClockMove>((_, reject) => {
      interruption.signal.onabort = () => reject(new SvcError('interrupted', 'Interrupted.'));
    });
    const { context, capturedOutput } = fake({ signal: interruption.signal }, moved);
    const run = settleCommand.run({}, context);
    interruption.abort();
    await expect(run).rejects.toMatchObject({ exitCode: ExitCode.interrupted });
    expect(capturedOutput.err).toBe(
      'Interrupted. The clock stopped at 2026-11-23T12:00:00.000Z. Deliveries that are due by then are still sent.\n',
    );
  });

  it('show in a terminal how far a long move has come, with the count of attempts, and clear that line', async () => {
    vi.useFakeTimers();
    const lines: string[] = [];
    let answer = (_: ClockMove) => {};
    const moved = new Promise<ClockMove>((resolve) => {
      answer = resolve;
    });
    const { context } = fake({ progress: (line) => lines.push(line) }, moved, { moving: { attempts: 12 } });
    const run = settleCommand.run({}, context);
    await vi.advanceTimersByTimeAsync(600);
    answer(move);
    await run;
    vi.useRealTimers();
    const line = 'Sent 12 attempts, clock 2026-11-23 12:00:00, next 2026-11-23 12:05:00';
    expect(lines).toEqual([line, line, '']);
  });
});

it('a move of the clock names the disabled endpoints that it left out, and how to enable them', () => {
  const webhook_id = 'wh_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D';
  const text = renderClockMove(
    { ...move, paused: [{ webhook_id, deliveries: 2 }] },
    { width: 200, color: false, unicode: true, links: false },
  );
  expect(text).toContain(
    `2 deliveries are paused: ${webhook_id} is disabled. Enable it with: svc webhooks update ${webhook_id} --enable`,
  );
});
