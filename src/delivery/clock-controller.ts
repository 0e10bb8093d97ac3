/** Commands for the schedule clock of a workspace: what makes a 72-hour ladder last a moment. */
import { LAST_SCHEDULE_TIME } from '../domain/clock.ts';
import { formatDuration } from '../domain/duration.ts';
import { SvcError } from '../errors.ts';
import { persistClock } from '../sandbox/clock-persistence.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { LoadedWorkspace } from '../sandbox/workspace-registry.ts';
import { toFileProblemError } from '../store/database-file-monitor.ts';
import type { Dispatcher } from './dispatcher.ts';

export class ClockController {
  readonly #sandbox: Sandbox;
  readonly #dispatcher: Dispatcher;
  /** The last command of each workspace that moves its clock: the next one waits for it. */
  readonly #moving = new Map<number, Promise<unknown>>();
  /** Place of the newest thing when the move in progress began, for each workspace whose clock is moved. */
  readonly #begins = new Map<number, number>();

  constructor(sandbox: Sandbox, dispatcher: Dispatcher) {
    this.#sandbox = sandbox;
    this.#dispatcher = dispatcher;
  }

  /** Schedule time of the next delivery of a workspace; null when none is planned. */
  findNextDueAt(workspace: LoadedWorkspace): number | null {
    const dueAt = this.#dispatcher.getNextDueAt(workspace.seq);
    return Number.isFinite(dueAt) ? dueAt : null;
  }

  /** Sets the speed or freezes, from the present schedule time on. */
  async set(
    workspace: LoadedWorkspace,
    change: { readonly speed?: number; readonly frozen?: boolean },
  ): Promise<void> {
    await this.#inTurn(workspace, async () => {
      workspace.clock.set(change);
      await this.#sandbox.store.write(() => persistClock(this.#sandbox, workspace));
      this.#announce(workspace);
    });
  }

  /**
   * Moves the clock forward by `ms`, from due instant to due instant: at each one everything due is sent and its
   * answer waited for, and what that plans on the way is met at its own instant. Resolves when all is answered, to
   * the place of the newest thing that had happened when the clock began to move: what was due by then is sent first,
   * and was not caused by it. After `signal` is aborted the clock stays at the due time that it has reached.
   */
  advance(workspace: LoadedWorkspace, ms: number, signal?: AbortSignal): Promise<number> {
    return this.#inTurn(workspace, () => {
      const target = workspace.clock.now() + ms;
      assertBeforeEnd(target, workspace);
      return this.#moveTo(workspace, target, signal);
    });
  }

  /** Moves the clock to the next due instant; stays where nothing is planned. Resolves as {@link advance}. */
  next(workspace: LoadedWorkspace, signal?: AbortSignal): Promise<number> {
    return this.#inTurn(workspace, async () => {
      await this.#dispatcher.whenIdle(workspace);
      return this.#moveTo(workspace, this.findNextDueAt(workspace) ?? workspace.clock.now(), signal);
    });
  }

  /** Moves the clock until nothing is planned any more. Resolves as {@link advance}. */
  settle(workspace: LoadedWorkspace, signal?: AbortSignal): Promise<number> {
    return this.#inTurn(workspace, () => this.#moveTo(workspace, Number.POSITIVE_INFINITY, signal));
  }

  /** How many attempts the move in progress has caused so far; null where none is in progress. */
  countAttemptsOfMove({ seq }: LoadedWorkspace): number | null {
    const begin = this.#begins.get(seq);
    return begin === undefined ? null : this.#sandbox.store.attempts.countByWorkspace(seq, begin);
  }

  async #moveTo(workspace: LoadedWorkspace, target: number, signal?: AbortSignal): Promise<number> {
    const { clock } = workspace;
    const { frozen } = clock;
    // Time stands still while answers are awaited, however long a receiver takes.
    clock.set({ frozen: true });
    let newest: number;
    try {
      let dueAt = await this.#nextStop(workspace);
      newest = this.#sandbox.store.lastSeq;
      this.#begins.set(workspace.seq, newest);
      while (dueAt !== null && dueAt <= target && !signal?.aborted) {
        assertBeforeEnd(dueAt, workspace);
        this.#jump(workspace, dueAt, frozen);
        dueAt = await this.#nextStop(workspace);
      }
      if (Number.isFinite(target) && !signal?.aborted) {
        this.#jump(workspace, target, frozen);
        // Nothing is due, but the window of a paused delivery may end on the way.
        await this.#dispatcher.whenIdle(workspace);
      }
    } finally {
      this.#begins.delete(workspace.seq);
      clock.set({ frozen });
    }
    await this.#sandbox.store.write(() => persistClock(this.#sandbox, workspace));
    this.#announce(workspace);
    return newest;
  }

  /** When everything due has been sent and answered: the next due instant; null where there is none. */
  async #nextStop(workspace: LoadedWorkspace): Promise<number | null> {
    await this.#dispatcher.whenIdle(workspace);
    const loss = this.#sandbox.store.checkFile();
    if (loss !== null) throw toFileProblemError(loss);
    if (!this.#dispatcher.isRunning) throw new SvcError('conflict', 'The emulator is stopping.');
    this.#assertCurrent(workspace);
    return this.findNextDueAt(workspace);
  }

  #jump(workspace: LoadedWorkspace, at: number, frozen: boolean): void {
    const { store, wall } = this.#sandbox;
    workspace.clock.moveTo(at);
    // In the same commit as what is sent at this instant, at the latest.
    const state = { at, wallAt: wall.now(), speed: workspace.clock.speed, frozen };
    store.writeSoon(() => store.workspaces.setClock(workspace.seq, state));
    this.#announce(workspace);
  }

  #announce(workspace: LoadedWorkspace): void {
    this.#sandbox.bus.publish({ type: 'clock_changed', workspaceSeq: workspace.seq });
  }

  /** Time must not pass in a workspace whose rows say something else by now. */
  #assertCurrent(workspace: LoadedWorkspace): void {
    if (this.#sandbox.workspaces.isCurrent(workspace)) return;
    throw new SvcError('conflict', 'The emulator was reset while the clock was to be moved.');
  }

  /** One command after the other for a workspace; workspaces do not wait for each other. */
  #inTurn<Result>(workspace: LoadedWorkspace, command: () => Promise<Result>): Promise<Result> {
    const before = this.#moving.get(workspace.seq) ?? Promise.resolve();
    const run = () => {
      this.#assertCurrent(workspace);
      return command();
    };
    const result = before.then(run, run);
    this.#moving.set(
      workspace.seq,
      result.catch(() => {}),
    );
    return result;
  }
}

function assertBeforeEnd(target: number, { clock }: LoadedWorkspace): void {
  if (target <= LAST_SCHEDULE_TIME) return;
  const [end, now] = [LAST_SCHEDULE_TIME, clock.now()];
  throw new SvcError(
    'validation_failed',
    `The clock cannot pass ${new Date(end).toISOString()}; it is at ${new Date(now).toISOString()}.`,
    {
      hint:
        now < end
          ? `Advance it by at most ${formatDuration(end - now)}.`
          : 'Go back to the start with: svc emulator reset',
    },
  );
}
