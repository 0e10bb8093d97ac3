/** Moves, freezes and speeds up the schedule clocks of workspaces. */

import { LAST_SCHEDULE_TIME } from '../../domain/clock.ts';
import { formatDuration } from '../../domain/duration.ts';
import { SvcError } from '../../domain/errors.ts';
import type { ClockChange } from '../../domain/schedule-clock.ts';
import { createFileProblemError } from '../../store/database-file-monitor.ts';
import type { Sandbox } from '../service/sandbox.ts';
import type { LoadedWorkspace } from '../service/workspace-registry.ts';
import type { Dispatcher } from './dispatcher.ts';

export class ClockController {
  readonly #sandbox: Sandbox;
  readonly #dispatcher: Dispatcher;
  /** The last command for the clock of each workspace, until it has ended. The next one waits for it. */
  readonly #lastCommands = new Map<number, Promise<void>>();

  constructor(sandbox: Sandbox, dispatcher: Dispatcher) {
    this.#sandbox = sandbox;
    this.#dispatcher = dispatcher;
  }

  /** Schedule time after now at which the next delivery of a workspace is due; null if none is scheduled. */
  findNextDueAt({ seq, clock }: LoadedWorkspace): number | null {
    return this.#sandbox.store.deliveries.findNextDueAt(seq, clock.now());
  }

  /** Changes the speed, freezes or resumes the clock, from the current schedule time on. */
  async set(workspace: LoadedWorkspace, change: ClockChange): Promise<void> {
    await this.#enqueueCommand(workspace, async () => {
      workspace.clock.set(change);
      await this.#persist(workspace);
    });
  }

  /**
   * Moves the clock forward by `ms` of schedule time, from due time to due time: at each one everything due is sent, and
   * the clock waits for the responses. Deliveries that are due before the move are sent first. After `signal` is aborted,
   * the clock stays at the due time that it has reached.
   * @returns the sequence of the newest row before the clock moved, as soon as every attempt has ended. Attempts with a later
   *   sequence were caused by the move.
   * @throws SvcError `validation_failed` past the last schedule time, `conflict` after a reset or stop, or
   *   `storage_unavailable` if the database file is lost
   */
  advance(workspace: LoadedWorkspace, ms: number, signal?: AbortSignal): Promise<number> {
    return this.#enqueueCommand(workspace, () => {
      const target = workspace.clock.now() + ms;
      assertNotPastEnd(target, workspace);
      return this.#moveTo(workspace, target, signal);
    });
  }

  /** Moves the clock to a schedule time. Resolves as {@link advance}. @throws SvcError `usage` for a time in the past */
  advanceTo(workspace: LoadedWorkspace, target: number, signal?: AbortSignal): Promise<number> {
    return this.#enqueueCommand(workspace, () => {
      const now = workspace.clock.now();
      if (target < now) throw createPastTimeError(target, now);
      return this.#moveTo(workspace, target, signal);
    });
  }

  /** Moves the clock to the next due time, if there is one. Resolves as {@link advance}. */
  next(workspace: LoadedWorkspace, signal?: AbortSignal): Promise<number> {
    return this.#enqueueCommand(workspace, async () => {
      await this.#dispatcher.whenIdle(workspace);
      return this.#moveTo(workspace, this.findNextDueAt(workspace) ?? workspace.clock.now(), signal);
    });
  }

  /** Moves the clock until nothing is scheduled. Resolves as {@link advance}. */
  settle(workspace: LoadedWorkspace, signal?: AbortSignal): Promise<number> {
    return this.#enqueueCommand(workspace, () => this.#moveTo(workspace, Number.POSITIVE_INFINITY, signal));
  }

  isBusy({ seq }: LoadedWorkspace): boolean {
    return this.#lastCommands.has(seq);
  }

  async #moveTo(workspace: LoadedWorkspace, target: number, signal?: AbortSignal): Promise<number> {
    const { clock } = workspace;
    const { frozen: wasFrozen } = clock;
    // The clock stands still while it waits for responses.
    clock.set({ frozen: true });
    let startSeq: number;
    try {
      let dueAt = await this.#waitForNextDueAt(workspace);
      startSeq = this.#sandbox.store.lastSeq;
      while (dueAt !== null && dueAt <= target && !signal?.aborted) {
        assertNotPastEnd(dueAt, workspace);
        this.#jump(workspace, dueAt, wasFrozen);
        dueAt = await this.#waitForNextDueAt(workspace);
      }
      if (Number.isFinite(target) && !signal?.aborted) {
        this.#jump(workspace, target, wasFrozen);
        // Nothing is due, but the retry window of a paused delivery may have ended.
        await this.#waitForNextDueAt(workspace);
      }
    } finally {
      clock.set({ frozen: wasFrozen });
    }
    await this.#persist(workspace);
    return startSeq;
  }

  async #persist(workspace: LoadedWorkspace): Promise<void> {
    const { store, workspaces, bus } = this.#sandbox;
    await store.write(() => workspaces.persistClock(workspace));
    bus.publish({ type: 'schedule_changed' });
  }

  /** Waits until every due attempt has ended. @returns the next due time; null without one. */
  async #waitForNextDueAt(workspace: LoadedWorkspace): Promise<number | null> {
    await this.#dispatcher.whenIdle(workspace);
    const problem = this.#sandbox.store.checkFile();
    if (problem !== null) throw createFileProblemError(problem);
    if (!this.#dispatcher.isRunning) throw new SvcError('conflict', 'The emulator is stopping.');
    this.#assertCurrent(workspace);
    return this.findNextDueAt(workspace);
  }

  /** @param frozenAfterMove stored, so that the clock does not stay frozen if the process is killed during the move */
  #jump(workspace: LoadedWorkspace, at: number, frozenAfterMove: boolean): void {
    const { store, wall, bus } = this.#sandbox;
    workspace.clock.moveTo(at);
    const state = { at, wallAt: wall.now(), speed: workspace.clock.speed, frozen: frozenAfterMove };
    // Committed together with the attempts that are due at this time, or before them.
    void store.writeLater(() => store.workspaces.setClock(workspace.seq, state));
    bus.publish({ type: 'schedule_changed' });
  }

  #assertCurrent(workspace: LoadedWorkspace): void {
    if (this.#sandbox.workspaces.isCurrent(workspace)) return;
    throw new SvcError('conflict', 'The emulator was reset before the clock could be moved.');
  }

  /** Runs the commands for a workspace one after the other. Workspaces do not wait for each other. */
  #enqueueCommand<Result>(workspace: LoadedWorkspace, command: () => Promise<Result>): Promise<Result> {
    const lastCommand = this.#lastCommands.get(workspace.seq) ?? Promise.resolve();
    const run = () => {
      this.#assertCurrent(workspace);
      return command();
    };
    const result = lastCommand.then(run, run);
    const forget = () => {
      if (this.#lastCommands.get(workspace.seq) === ended) this.#lastCommands.delete(workspace.seq);
    };
    const ended = result.then(forget, forget);
    this.#lastCommands.set(workspace.seq, ended);
    return result;
  }
}

function createPastTimeError(time: number, now: number): SvcError {
  const [target, current] = [time, now].map((at) => new Date(at).toISOString());
  return new SvcError('usage', `${target} is before the schedule time ${current}.`, {
    hint: 'Pass a later time. The schedule clock only moves forward.',
  });
}

function assertNotPastEnd(target: number, { clock }: LoadedWorkspace): void {
  if (target <= LAST_SCHEDULE_TIME) return;
  const now = clock.now();
  throw new SvcError(
    'validation_failed',
    `The clock cannot move past ${new Date(LAST_SCHEDULE_TIME).toISOString()}. It is at ${new Date(now).toISOString()}.`,
    {
      hint:
        now < LAST_SCHEDULE_TIME
          ? `Advance it by at most ${formatDuration(LAST_SCHEDULE_TIME - now)}.`
          : { text: 'Reset the emulator to its startup state', command: 'svc emulator reset' },
    },
  );
}
