/** Boots a sandbox, resets it, and saves and loads snapshots of it. */
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { SvcError } from '../errors.ts';
import type { SavedSnapshot } from '../store/save-snapshot.ts';
import { type BootstrapOptions, type BootstrapResult, bootstrap } from './bootstrap.ts';
import { persistClock, resumeClocks } from './clock-persistence.ts';
import type { Sandbox } from './sandbox.ts';

export interface StateLifecycleOptions extends Pick<BootstrapOptions, 'seed' | 'forwardTo' | 'clock'> {
  /** Path of the database file; the default key is stored next to it. */
  readonly db: string;
}

export class StateLifecycle {
  readonly #sandbox: Sandbox;
  readonly #options: StateLifecycleOptions;
  #bootstrapped: BootstrapResult;
  /** Wall time of the baseline. */
  #baselineAt = 0;

  /** @throws SvcError as {@link bootstrap}. */
  constructor(sandbox: Sandbox, options: StateLifecycleOptions) {
    this.#sandbox = sandbox;
    this.#options = options;
    this.#bootstrapped = bootstrap(sandbox, { ...options, knownKey: readKeyFile(options.db) });
    this.#startFromCurrentState();
  }

  /** The default workspace, API key and endpoint. */
  get bootstrapped(): BootstrapResult {
    return this.#bootstrapped;
  }

  /**
   * Restores the state after boot, or after the last loaded snapshot: rows, clocks, rate limits, and in a seeded run the
   * next ids. Attempts in flight are not recorded.
   * @throws SvcError `storage_unavailable`, in which case nothing has changed.
   */
  reset(): void {
    this.#sandbox.store.restoreBaseline(() => resumeClocks(this.#baselineAt, this.#sandbox));
    rebuildMemory(this.#sandbox);
  }

  /**
   * Writes the complete state to one file.
   * @throws SvcError `usage` if the path cannot be written, or `storage_unavailable`.
   */
  saveSnapshot(path: string): Promise<SavedSnapshot> {
    const { store, wall, workspaces } = this.#sandbox;
    return store.saveSnapshot(path, wall.now, () => {
      for (const workspace of workspaces.listLoaded()) persistClock(this.#sandbox, workspace);
    });
  }

  /**
   * Replaces the state by that of a snapshot, including the clocks, and makes it the state that a reset restores. The
   * default key of this emulator and the endpoint of `--forward-to` are added again, as after boot.
   * @throws SvcError as `Store.loadSnapshot`, in which case nothing has changed.
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
      this.#startFromCurrentState();
    }
  }

  /**
   * Writes the database file again after it was removed, and makes this the state that a reset restores.
   * @throws SvcError as `Store.restoreFile`, in which case nothing has changed.
   */
  async restoreDatabase(): Promise<void> {
    await this.#sandbox.store.restoreFile();
    this.#startFromCurrentState();
  }

  #startFromCurrentState(): void {
    const { store, wall } = this.#sandbox;
    store.setBaseline();
    this.#baselineAt = wall.now();
    rebuildMemory(this.#sandbox);
    writeKeyFile(this.#options.db, this.#bootstrapped.apiKey);
  }
}

/**
 * Rebuilds the state in memory from the rows. This is the same after boot and after the rows were replaced, so that a
 * sandbox behaves the same after a reset as after boot.
 */
function rebuildMemory(sandbox: Sandbox): void {
  clearMemory(sandbox);
  sandbox.bus.publish({ type: 'state_replaced' });
}

function clearMemory({
  store,
  generator,
  workspaces,
}: Pick<Sandbox, 'store' | 'generator' | 'workspaces'>): void {
  // Each new row increases the sequence, so no series starts twice from the same baseline.
  generator.startSeries(`after ${store.baselineSeq}`);
  for (const newest of [store.workspaces.findNewestId(), store.apiKeys.findNewestId()]) {
    if (newest !== undefined) generator.ids('resources').continueAfter(newest);
  }
  workspaces.clear();
}

/**
 * Reads the default API key of an earlier boot from its private file next to the database, which contains only a hash.
 * @returns null if the file does not exist or cannot be read.
 * @throws SvcError `usage` for a FIFO or a device, which could block.
 */
export function readKeyFile(db: string): string | null {
  if (db === ':memory:') return null;
  const file = `${db}.key`;
  if (statSync(file, { throwIfNoEntry: false })?.isFile() === false) {
    throw new SvcError('usage', `${file} is not a regular file.`, { hint: `Remove it with: rm ${file}` });
  }
  try {
    return readFileSync(file, 'utf8').trim() || null;
  } catch {
    return null;
  }
}

/** Stores the key for the next boot. */
function writeKeyFile(db: string, key: string): void {
  if (db === ':memory:' || readKeyFile(db) === key) return;
  writeFileSync(`${db}.key`, `${key}\n`, { mode: 0o600 });
}
