/** The workspaces with their running clocks and ID generators. */

import { resumeAfterDowntime, type WallClock } from '../../domain/clock.ts';
import { MINUTE_MS } from '../../domain/duration.ts';
import type { UlidGenerator } from '../../domain/ids.ts';
import { ScheduleClock } from '../../domain/schedule-clock.ts';
import type { Store } from '../../store/store.ts';
import { toClockState, type WorkspaceRow } from '../../store/workspaces.ts';
import type { IdAndSecretGenerator } from './id-and-secret-generator.ts';

/** A workspace with its state in memory: the running clock and the ID generator. */
export interface LoadedWorkspace {
  readonly seq: number;
  readonly id: string;
  readonly clock: ScheduleClock;
  /** Generates the IDs of events, endpoints and deliveries, in order of schedule time. */
  readonly ids: UlidGenerator;
}

interface NewWorkspace {
  readonly name: string;
  /** The ID (default: a new one). */
  readonly id?: string | undefined;
  /** Initial clock settings (default: the current time and {@link WorkspaceRegistryOptions.newClockSettings}). */
  readonly clock?:
    | {
        /** ISO 8601. */
        readonly now?: string | undefined;
        readonly speed?: number | undefined;
        readonly frozen?: boolean | undefined;
      }
    | undefined;
}

interface WorkspaceRegistryOptions {
  readonly store: Store;
  readonly wall: WallClock;
  readonly generator: IdAndSecretGenerator;
  readonly timestamp: () => number;
  readonly newClockSettings: { readonly speed: number; readonly frozen: boolean };
}

/**
 * How often the clock is written at speed 1. A restart can compute its time from any earlier state, but not if the wall clock
 * was set since then.
 */
const PERSIST_INTERVAL_MS = MINUTE_MS;

/** Creates workspaces, loads them when they are first used, and writes their clocks to the store. */
export class WorkspaceRegistry {
  readonly #options: WorkspaceRegistryOptions;
  readonly #bySeq = new Map<number, LoadedWorkspace>();
  readonly #byId = new Map<string, LoadedWorkspace>();
  /** Monotonic time at which each clock was last written. */
  readonly #persistedAt = new WeakMap<LoadedWorkspace, number>();

  constructor(options: WorkspaceRegistryOptions) {
    this.#options = options;
  }

  get #store(): Store {
    return this.#options.store;
  }

  /** Writes a workspace. Call inside a store transaction. */
  insert({ name, id, clock = {} }: NewWorkspace): WorkspaceRow {
    const { store, wall, generator, timestamp, newClockSettings } = this.#options;
    const scheduleTime = clock.now === undefined ? timestamp() : Date.parse(clock.now);
    const row: WorkspaceRow = {
      seq: store.nextSeq(),
      id: id ?? generator.ids('resources').next('workspace', scheduleTime),
      name,
      created_at: scheduleTime,
      clock_at: scheduleTime,
      clock_wall_at: wall.now(),
      clock_speed: clock.speed ?? newClockSettings.speed,
      clock_frozen: (clock.frozen ?? newClockSettings.frozen) ? 1 : 0,
    };
    store.workspaces.insert(row);
    return row;
  }

  find(id: string): LoadedWorkspace | undefined {
    const loaded = this.#byId.get(id);
    if (loaded) return loaded;
    const row = this.#store.workspaces.find(id);
    return row && this.#load(row);
  }

  /** Returns an existing workspace. @throws Error if it does not exist. */
  get(seq: number): LoadedWorkspace {
    const loaded = this.#bySeq.get(seq);
    if (loaded) return loaded;
    const row = this.#store.workspaces.findBySeq(seq);
    if (row === undefined) throw new Error(`workspace ${seq} does not exist`);
    return this.#load(row);
  }

  /** The workspace that the first start created. It is used if a request names none. */
  get default(): LoadedWorkspace {
    const row = this.#store.workspaces.findOldest();
    if (row === undefined) throw new Error('the store has no workspace');
    return this.#load(row);
  }

  listLoaded(): Iterable<LoadedWorkspace> {
    return this.#bySeq.values();
  }

  /** Writes the current state of a clock, so that it continues correctly after the process was killed. Call inside a store transaction. */
  persistClock(workspace: LoadedWorkspace): void {
    this.#persistedAt.set(workspace, this.#options.wall.monotonic());
    this.#store.workspaces.setClock(workspace.seq, workspace.clock.getState());
  }

  /**
   * Writes the state of a clock together with rows of the same time, so that it cannot be earlier than them after a
   * restart. Call inside a store transaction.
   */
  persistClockIfNeeded(workspace: LoadedWorkspace): void {
    const { currentSpeed } = workspace.clock;
    const persistedAt = this.#persistedAt.get(workspace) ?? Number.NEGATIVE_INFINITY;
    const elapsedMs = this.#options.wall.monotonic() - persistedAt;
    if (currentSpeed > 0 && (currentSpeed !== 1 || elapsedMs > PERSIST_INTERVAL_MS))
      this.persistClock(workspace);
  }

  /**
   * Makes every clock in the store continue from its state at the wall time `stoppedAt`, as if no time had passed since.
   * Call inside a store transaction.
   */
  resumeClocks(stoppedAt: number): void {
    const wallAt = this.#options.wall.now();
    for (const row of this.#store.workspaces.listAll()) {
      const state = resumeAfterDowntime(toClockState(row), stoppedAt);
      this.#store.workspaces.setClock(row.seq, { ...state, wallAt });
    }
  }

  /** Whether the workspace was loaded after the last {@link clear}. */
  isCurrent(workspace: LoadedWorkspace): boolean {
    return this.#bySeq.get(workspace.seq) === workspace;
  }

  /** Must be called after the stored state was replaced. */
  clear(): void {
    this.#bySeq.clear();
    this.#byId.clear();
  }

  #load(row: WorkspaceRow): LoadedWorkspace {
    const current = this.#bySeq.get(row.seq);
    if (current) return current;
    const clock = new ScheduleClock(this.#options.wall, toClockState(row));
    const ids = this.#options.generator.ids(row.id);
    for (const newestId of this.#store.workspaces.listNewestIds(row.seq)) ids.continueAfter(newestId);
    const workspace = { seq: row.seq, id: row.id, clock, ids };
    this.#bySeq.set(row.seq, workspace);
    this.#byId.set(row.id, workspace);
    return workspace;
  }
}
