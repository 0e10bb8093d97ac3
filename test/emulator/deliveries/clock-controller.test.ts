import { describe, expect, it, vi } from 'vitest';
import { LAST_TIME } from '../../../src/domain/clock.ts';
import { HOUR_MS, MINUTE_MS } from '../../../src/domain/duration.ts';
import { ClockController } from '../../../src/emulator/deliveries/clock-controller.ts';
import { toClockState } from '../../../src/store/workspaces.ts';
import { startTestEmulator, type TestEmulator } from '../../support/test-emulator.ts';
import { createReceiver } from '../../support/test-receiver.ts';
import { createTestWallClock } from '../../support/test-wall-clock.ts';
import { failedResult, NOW, runEventLoop, startDispatcher } from './dispatcher-setup.ts';

const LADDER_MS = [0, 5, 35, 155, 515, 1235, 2675, 4115].map((minutes) => minutes * MINUTE_MS);

async function subscribe(emulator: TestEmulator, url: string, events = ['order.shipped']) {
  const { workspace_id } = emulator.status();
  return (await emulator.api('POST', '/webhooks', { workspace_id, url, events })).json;
}

const createEvent = async (emulator: TestEmulator) =>
  (await emulator.api('POST', '/events', { type: 'order.shipped' })).json;

describe('advance', () => {
  it('advance makes each retry at its due time, to the millisecond, through the whole retry schedule [retry.schedule, §6.retries.schedule, §6.retries.window, delivery.states]', async () => {
    await using receiver = await createReceiver({ status: 503 });
    await using emulator = await startTestEmulator();
    await subscribe(emulator, receiver.url);
    const event = await createEvent(emulator);
    const start = Date.parse(event.created_at);
    const move = await emulator.control.advanceClock({ ms: 72 * HOUR_MS });
    expect(move.attempts.map((attempt) => Date.parse(attempt.scheduled_at) - start)).toEqual(
      // The first attempt was made at once and was not caused by the move.
      LADDER_MS.slice(1),
    );
    expect(Date.parse(move.now) - start).toBe(72 * HOUR_MS);
    expect(move).toMatchObject({ pending: 0, next_due_at: null, speed: 0 });
    const { data } = await emulator.control.listDeliveries({});
    expect(data[0]).toMatchObject({ status: 'failed', settled_reason: 'window_elapsed', attempt_count: 8 });
  });

  it.each([
    ['advanceClock', { ms: 72 * HOUR_MS }],
    ['settleClock', {}],
  ] as const)(
    'a clock move stops at the due time it has reached when the signal of %s is aborted',
    async (name, input) => {
      const caller = new AbortController();
      await using receiver = await createReceiver(async (_, index) => {
        if (index === 2) caller.abort();
        return { status: 503 };
      });
      await using emulator = await startTestEmulator();
      await subscribe(emulator, receiver.url);
      const event = await createEvent(emulator);
      const move = await emulator.control[name](input as never, caller.signal);
      expect(move.attempts).toHaveLength(2);
      expect(Date.parse(move.now) - Date.parse(event.created_at)).toBe(LADDER_MS[2]);
      expect(receiver.requests).toHaveLength(3);
    },
  );

  it('a move that fails halfway leaves the clock running, and the next move runs', async () => {
    await using receiver = await createReceiver({ status: 503 });
    await using emulator = await startTestEmulator({
      seed: { workspaces: [{ name: 'A', clock: { now: '9998-12-31T23:30:00Z' } }] },
      clock: { speed: 60 },
      wall: createTestWallClock(),
    });
    await subscribe(emulator, receiver.url);
    await createEvent(emulator);
    // The attempt after 35 minutes would be after the end of the clock.
    await expect(emulator.control.settleClock({})).rejects.toMatchObject({ code: 'validation_failed' });
    expect(await emulator.control.getClock({})).toMatchObject({ now: '9998-12-31T23:35:00.000Z', speed: 60 });
    expect(await emulator.control.advanceClock({ ms: MINUTE_MS })).toMatchObject({ speed: 60 });
  });
});

describe('the end of the schedule clock', () => {
  const almost = { workspaces: [{ name: 'A', clock: { now: '9998-12-31T23:00:00Z' } }] };

  it('advance rejects a move past 9999-01-01 and states the longest possible step', async () => {
    await using emulator = await startTestEmulator({ seed: almost });
    await expect(emulator.control.advanceClock({ ms: HOUR_MS + 1 })).rejects.toMatchObject({
      code: 'validation_failed',
      message: 'The clock cannot move past 9999-01-01T00:00:00.000Z. It is at 9998-12-31T23:00:00.000Z.',
      hint: { text: 'Advance it by at most 1h.' },
    });
    expect(await emulator.control.advanceClock({ ms: HOUR_MS })).toMatchObject({
      now: '9999-01-01T00:00:00.000Z',
    });
    await expect(emulator.control.advanceClock({ ms: 1 })).rejects.toMatchObject({
      hint: { text: 'Reset the emulator to its startup state', command: 'svc emulator reset' },
    });
  });

  it.each([
    ['+010000-01-01T00:00:00.000Z', new Date(LAST_TIME + 1)],
    ['an invalid date', new Date(Number.NaN)],
  ])('the wall clock of an emulator stops at 9999-01-01 too: %s', async (text, wallClock) => {
    await expect(startTestEmulator({ wallClock })).rejects.toMatchObject({
      code: 'usage',
      message: `The wall clock cannot be pinned to ${text}.`,
    });
  });
});

/** A clock controller with a scripted sender, in a process without a server. */
function startController(options: Parameters<typeof startDispatcher>[0] = {}) {
  const dispatch = startDispatcher(options);
  const { sandbox, dispatcher, workspace } = dispatch;
  const stored = () => {
    const row = sandbox.store.workspaces.listAll().find(({ seq }) => seq === workspace.seq);
    return row && toClockState(row);
  };
  return { ...dispatch, clock: new ClockController(sandbox, dispatcher), stored };
}

describe('ClockController', () => {
  it('a changed clock is stored, and its observers are notified, when set resolves', async () => {
    const { clock, workspace, sandbox, stored } = startController();
    const speeds: number[] = [];
    sandbox.bus.subscribe(
      ({ type }) => void (type === 'schedule_changed' && speeds.push(workspace.clock.currentSpeed)),
    );
    await clock.set(workspace, { frozen: false, speed: 7 });
    expect(stored()).toMatchObject({ at: NOW, speed: 7, frozen: false });
    expect(speeds).toEqual([7]);
  });

  it('advanceTo moves the clock to a time from now on, and rejects one in the past', async () => {
    const { clock, workspace } = startController();
    await clock.advanceTo(workspace, NOW);
    expect(workspace.clock.now()).toBe(NOW);
    await clock.advanceTo(workspace, NOW + 5);
    expect(workspace.clock.now()).toBe(NOW + 5);
    await expect(clock.advanceTo(workspace, NOW + 4)).rejects.toMatchObject({
      code: 'usage',
      message: '2026-11-20T00:00:00.004Z is before the schedule time 2026-11-20T00:00:00.005Z.',
    });
    expect(workspace.clock.now()).toBe(NOW + 5);
  });

  it('the clock stands still while a move waits for a response, and a crash during the move does not leave it frozen', async () => {
    const { clock, sandbox, workspace, attempt, pass, stored, failFirst } = startController({
      frozen: false,
    });
    await failFirst();
    const move = clock.advance(workspace, HOUR_MS);
    const retry = await attempt(2);
    pass(1_000);
    expect(workspace.clock.now()).toBe(NOW + 5 * MINUTE_MS);
    expect(clock.isBusy(workspace)).toBe(true);
    await sandbox.store.write(() => {});
    expect(stored()).toMatchObject({ at: NOW + 5 * MINUTE_MS, frozen: false });
    await retry.respond();
    await move;
    expect([workspace.clock.now(), workspace.clock.frozen]).toEqual([NOW + HOUR_MS, false]);
    expect(clock.isBusy(workspace)).toBe(false);
  });

  it('after a move, the clock is stored as it continues, and its observers see it running', async () => {
    const { clock, workspace, sandbox, pass, stored } = startController({ frozen: false });
    const seen: boolean[] = [];
    sandbox.bus.subscribe(
      ({ type }) => void (type === 'schedule_changed' && seen.push(workspace.clock.frozen)),
    );
    pass(500);
    await clock.settle(workspace);
    expect(stored()).toEqual({ at: NOW + 500, wallAt: NOW + 500, speed: 1, frozen: false });
    expect(seen).toEqual([false]);
  });

  it('a move that is requested while an earlier one waits runs after it, although the first of three has ended', async () => {
    const { clock, workspace, endpoint, trigger, attempt } = startController({ frozen: false });
    endpoint();
    const first = clock.advance(workspace, MINUTE_MS);
    const [second] = [clock.advance(workspace, MINUTE_MS), trigger()];
    await first;
    const attempted = await attempt(1);
    const third = clock.advance(workspace, MINUTE_MS);
    await runEventLoop();
    await attempted.respond();
    await Promise.all([second, third]);
    expect([workspace.clock.now(), workspace.clock.frozen]).toEqual([NOW + 3 * MINUTE_MS, false]);
  });

  it.each<[string, string, (started: ReturnType<typeof startController>) => unknown]>([
    [
      'storage_unavailable if the database file is lost',
      'storage_unavailable',
      ({ store }) => vi.spyOn(store, 'checkFile').mockReturnValue('removed'),
    ],
    ['conflict if the emulator stops', 'conflict', ({ dispatcher }) => dispatcher.stop(0)],
    [
      'conflict if the state is replaced',
      'conflict',
      ({ sandbox }) => vi.spyOn(sandbox.workspaces, 'isCurrent').mockReturnValue(false),
    ],
  ])('a move that waits for a response fails with %s, and so does the next one', async (_, code, change) => {
    const started = startController({ frozen: false });
    const { clock, workspace, attempt, moveTo, failFirst } = started;
    await failFirst();
    const move = clock.advance(workspace, 5 * MINUTE_MS);
    const moved = expect(move).rejects.toMatchObject({ code });
    const retry = await attempt(2);
    await change(started);
    await retry.respond(failedResult);
    await moveTo(workspace.clock.now());
    await moved;
    expect(workspace.clock.frozen).toBe(false);
    await expect(clock.advance(workspace, MINUTE_MS)).rejects.toMatchObject({ code });
    expect(workspace.clock.now()).toBe(NOW + 5 * MINUTE_MS);
  });

  it('a move fails with conflict if the state is replaced after its last step', async () => {
    const { clock, sandbox, workspace } = startController();
    vi.spyOn(sandbox.workspaces, 'isCurrent').mockImplementation(() => workspace.clock.now() === NOW);
    await expect(clock.advance(workspace, MINUTE_MS)).rejects.toMatchObject({ code: 'conflict' });
  });
});
