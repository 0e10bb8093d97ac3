import { describe, expect, it, vi } from 'vitest';
import { command as clock, renderClockMove } from '../../../src/cli/commands/clock.ts';
import type { ClockMove, ClockState } from '../../../src/operations/emulator-schemas.ts';
import { createFakeContext, type FakeOptions } from '../fake-context.ts';
import { expectGolden } from '../golden-output.ts';

const { settle, show } = clock.commands;

const state: ClockState = {
  workspace_id: 'ws_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D',
  now: '2026-11-23T12:00:00.000Z',
  speed: 3600,
  wall: '2026-11-20T12:00:00.000Z',
  next_due_at: '2026-11-23T12:05:00.000Z',
};

const move: ClockMove = {
  ...state,
  paused: [],
  speed: 0,
  next_due_at: null,
  attempts: [
    {
      id: 'att_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D_8',
      number: 8,
      trigger: 'schedule',
      scheduled_at: '2026-11-23T08:32:00.000Z',
      sent_at: '2026-11-20T12:00:00.000Z',
      duration_ms: 12,
      outcome: 'http_error',
      response_status: 503,
      error: 'the receiver responded with 503',
      phases: null,
      delivery_id: 'del_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D',
      event_type: 'order.shipped',
      webhook_id: 'wh_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D',
    },
  ],
  pending: 0,
};

/** A clock whose moves end when `moved` does. */
function fake(options: FakeOptions = {}, moved: Promise<ClockMove> = Promise.resolve(move)) {
  const control = { getClock: async () => state, settleClock: () => moved };
  return createFakeContext({ ...options, control });
}

describe('svc clock', () => {
  it('svc clock show prints the time until the next attempt by the schedule clock', async () => {
    const { context, capturedOutput } = fake();
    await show.run({}, context);
    await expectGolden('clock-show', { 'clock show': capturedOutput.out });
  });

  it('svc clock settle lists the attempts that the move caused', async () => {
    const { context, capturedOutput } = fake();
    await settle.run({}, context);
    await expectGolden('clock-settle', { 'clock settle': capturedOutput.out });
  });

  it('a long move shows its progress in a terminal and clears the line at the end', async () => {
    vi.useFakeTimers();
    const lines: string[] = [];
    let finishMove = (_: ClockMove) => {};
    const moved = new Promise<ClockMove>((resolve) => {
      finishMove = resolve;
    });
    const { context } = fake({ progress: (line) => lines.push(line) }, moved);
    const run = settle.run({}, context);
    await vi.advanceTimersByTimeAsync(600);
    finishMove(move);
    await run;
    vi.useRealTimers();
    const line = 'Clock 2026-11-23 12:00:00, next 2026-11-23 12:05:00';
    expect(lines).toEqual([line, line, '']);
  });
});

it('a move of the clock names the disabled endpoints that it skipped and how to enable them', () => {
  const webhook_id = 'wh_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D';
  const text = renderClockMove(
    { ...move, pending: 2, paused: [{ webhook_id, deliveries: 2 }] },
    { width: 200, color: false, unicode: true },
  );
  expect(text).toContain(
    `2 deliveries are paused: ${webhook_id} is disabled. Enable it with: svc webhooks update ${webhook_id} --enable`,
  );
});
