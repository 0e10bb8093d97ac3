/** A sandbox in use: how it begins, and the ways back to its beginning. */
import type { SavedSnapshot } from '../store/save-snapshot.ts';
import { type BootstrapOptions, type BootstrapResult, bootstrap } from './bootstrap.ts';
import { persistClock, resumeClocks } from './clock-persistence.ts';
import { readKeyFile, writeKeyFile } from './key-file.ts';
import type { Sandbox } from './sandbox.ts';

export interface StateLifecycleOptions extends Pick<BootstrapOptions, 'seed' | 'forwardTo' | 'clock'> {
  /** Path of the database file, beside which the default key is kept. */
  readonly db: string;
}

export class StateLifecycle {
  readonly #sandbox: Sandbox;
  readonly #options: StateLifecycleOptions;
  #bootstrapped: BootstrapResult;
  /** Wall time of the beginning. */
  #begunAt = 0;

  /** @throws SvcError as {@link bootstrap}. */
  constructor(sandbox: Sandbox, options: StateLifecycleOptions) {
    this.#sandbox = sandbox;
    this.#options = options;
    this.#bootstrapped = bootstrap(sandbox, { ...options, knownKey: readKeyFile(options.db) });
    this.#begin();
  }

  /** What there is from the beginning on, for those who have to know where to start. */
  get bootstrapped(): BootstrapResult {
    return this.#bootstrapped;
  }

  /**
   * Gives back the state of the beginning, whatever has happened since: rows, clocks, rate limits, and in a seeded run
   * the ids to come. Attempts under way end without a trace.
   * @throws SvcError `storage_unavailable`; nothing has changed then.
   */
  reset(): void {
    this.#sandbox.store.restoreBaseline(() => resumeClocks(this.#begunAt, this.#sandbox));
    rebuildMemory(this.#sandbox);
  }

  /**
   * Writes everything into one file, of the moment at which the last of it was copied.
   * @throws SvcError `usage` when it cannot be written there, or `storage_unavailable`.
   */
  saveSnapshot(path: string): Promise<SavedSnapshot> {
    const { store, wall, workspaces } = this.#sandbox;
    return store.saveSnapshot(path, wall.now, () => {
      for (const workspace of workspaces.listLoaded()) persistClock(this.#sandbox, workspace);
    });
  }

  /**
   * Goes on from a snapshot: every row, every clock as it stood when it was saved. Its moment is a new beginning. The
   * default key of this emulator, and the endpoint that it was started with, are there as after a boot.
   * @throws SvcError as `Store.loadSnapshot`; nothing has changed then.
   */
  async loadSnapshot(path: string): Promise<void> {
    const { store, environment } = this.#sandbox;
    await store.loadSnapshot(path, environment, (savedAt) => resumeClocks(savedAt, this.#sandbox));
    try {
      store.setBaseline();
      clearMemory(this.#sandbox);
      const { apiKey: knownKey } = this.#bootstrapped;
      const { forwardTo } = this.#options;
      this.#bootstrapped = bootstrap(this.#sandbox, { knownKey, adoptKey: true, forwardTo });
    } finally {
      this.#begin();
    }
  }

  /**
   * Writes the database file again after it was removed. That moment is a new beginning.
   * @throws SvcError as `Store.restoreDatabase`; nothing has changed then.
   */
  async restoreDatabase(): Promise<void> {
    await this.#sandbox.store.restoreFile();
    this.#begin();
  }

  #begin(): void {
    const { store, wall } = this.#sandbox;
    store.setBaseline();
    this.#begunAt = wall.now();
    rebuildMemory(this.#sandbox);
    writeKeyFile(this.#options.db, this.#bootstrapped.apiKey);
  }
}

/**
 * Builds what is kept in memory anew from the rows. Because it is the same after boot as whenever the rows were
 * replaced, a sandbox that was reset goes on just as one that has booted.
 */
function rebuildMemory(sandbox: Sandbox): void {
  clearMemory(sandbox);
  sandbox.bus.publish({ type: 'renewed' });
}

function clearMemory({ store, generator, workspaces }: Sandbox): void {
  // Whatever is made moves the store on from here, and so nothing is made twice from the same beginning.
  generator.startSeries(`after ${store.baselineSeq}`);
  for (const newest of [store.workspaces.findNewestId(), store.apiKeys.findNewestId()]) {
    if (newest !== undefined) generator.ids('resources').continueAfter(newest);
  }
  workspaces.clear();
}
