import { ScheduleClock } from '../clock/schedule-clock.ts';
import type { WallClock } from '../domain/clock.ts';
import type { UlidGenerator } from '../domain/ids.ts';
import type { Store } from '../store/store.ts';
import { toClockState, type WorkspaceRow } from '../store/workspaces.ts';
import type { IdAndSecretGenerator } from './id-and-secret-generator.ts';

/** A workspace with what lives in memory beside its row: the running clock and the source of its ids. */
export interface LoadedWorkspace {
  readonly seq: number;
  readonly id: string;
  readonly clock: ScheduleClock;
  /** Makes the ids of events, endpoints and deliveries, in order of schedule time. */
  readonly ids: UlidGenerator;
}

/** Brings workspaces to life when they are first needed. */
export class WorkspaceRegistry {
  readonly #store: Store;
  readonly #wall: WallClock;
  readonly #generator: IdAndSecretGenerator;
  readonly #bySeq = new Map<number, LoadedWorkspace>();
  readonly #byId = new Map<string, LoadedWorkspace>();

  constructor(store: Store, wall: WallClock, generator: IdAndSecretGenerator) {
    this.#store = store;
    this.#wall = wall;
    this.#generator = generator;
  }

  find(id: string): LoadedWorkspace | undefined {
    const known = this.#byId.get(id);
    if (known) return known;
    const row = this.#store.workspaces.find(id);
    return row && this.#live(row);
  }

  /** The workspace of a row that is known to exist. */
  get(seq: number): LoadedWorkspace {
    const live = this.#bySeq.get(seq);
    if (live) return live;
    const row = this.#store.workspaces.findBySeq(seq);
    if (row === undefined) throw new Error(`workspace ${seq} is gone`);
    return this.#live(row);
  }

  /** The workspace made at first boot: the one meant where none is named. */
  get default(): LoadedWorkspace {
    const row = this.#store.workspaces.findOldest();
    if (row === undefined) throw new Error('the store has no workspace');
    return this.#live(row);
  }

  /** Those that have come to life. */
  listLoaded(): Iterable<LoadedWorkspace> {
    return this.#bySeq.values();
  }

  /** Whether it is the one that lives now, and not one of before {@link clear}. */
  isCurrent(workspace: LoadedWorkspace): boolean {
    return this.#bySeq.get(workspace.seq) === workspace;
  }

  /** What lived is no more: the rows have changed under it. */
  clear(): void {
    this.#bySeq.clear();
    this.#byId.clear();
  }

  #live(row: WorkspaceRow): LoadedWorkspace {
    const known = this.#bySeq.get(row.seq);
    if (known) return known;
    const clock = new ScheduleClock(this.#wall, toClockState(row));
    const ids = this.#generator.ids(row.id);
    const { events, deliveries, webhooks } = this.#store;
    for (const table of [events, deliveries, webhooks]) {
      const newest = table.findNewestId(row.seq);
      if (newest !== undefined) ids.continueAfter(newest);
    }
    const live = { seq: row.seq, id: row.id, clock, ids };
    this.#bySeq.set(row.seq, live);
    this.#byId.set(row.id, live);
    return live;
  }
}
