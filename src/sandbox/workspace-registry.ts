/** Holds the running clock and the id source of each workspace. */
import { ScheduleClock } from '../clock/schedule-clock.ts';
import type { WallClock } from '../domain/clock.ts';
import type { UlidGenerator } from '../domain/ids.ts';
import type { Store } from '../store/store.ts';
import { toClockState, type WorkspaceRow } from '../store/workspaces.ts';
import type { IdAndSecretGenerator } from './id-and-secret-generator.ts';

/** A workspace with its state in memory: the running clock and the id source. */
export interface LoadedWorkspace {
  readonly seq: number;
  readonly id: string;
  readonly clock: ScheduleClock;
  /** Generates the ids of events, endpoints and deliveries, in order of schedule time. */
  readonly ids: UlidGenerator;
}

/** Loads workspaces when they are first used. */
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
    const loaded = this.#bySeq.get(row.seq);
    if (loaded) return loaded;
    const clock = new ScheduleClock(this.#wall, toClockState(row));
    const ids = this.#generator.ids(row.id);
    const { events, deliveries, webhooks } = this.#store;
    for (const table of [events, deliveries, webhooks]) {
      const newestId = table.findNewestId(row.seq);
      if (newestId !== undefined) ids.continueAfter(newestId);
    }
    const workspace = { seq: row.seq, id: row.id, clock, ids };
    this.#bySeq.set(row.seq, workspace);
    this.#byId.set(row.id, workspace);
    return workspace;
  }
}
