/** Prepares a sandbox at the start, resets it, and saves and loads snapshots of it. */
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { SvcError } from '../errors.ts';
import type { SavedSnapshot } from '../store/database-copy.ts';
import { type BootstrapOptions, type BootstrapResult, bootstrap } from './bootstrap.ts';
import { persistClock, resumeClocks } from './clock-persistence.ts';
import type { Sandbox } from './sandbox.ts';

/** The default key is stored next to the database file. */
export type StateLifecycleOptions = Pick<BootstrapOptions, 'db' | 'seed' | 'forwardTo' | 'clock'>;

export class StateLifecycle {
  readonly #sandbox: Sandbox;
  readonly #options: StateLifecycleOptions;
  #bootstrapResult: BootstrapResult;
  /** Wall time of the baseline. */
  #baselineAt = 0;

  /** @throws SvcError as {@link bootstrap}. */
  constructor(sandbox: Sandbox, options: StateLifecycleOptions) {
    this.#sandbox = sandbox;
    this.#options = options;
    this.#bootstrapResult = bootstrap(sandbox, { ...options, knownKey: readKeyFile(options.db) });
    this.#startFromCurrentState();
  }

  /** The default workspace, API key and endpoint. */
  get bootstrapped(): BootstrapResult {
    return this.#bootstrapResult;
  }

  /**
   * Restores the state of the start, of the last loaded snapshot or of the last {@link restoreDatabase}: rows, clocks, rate
   * limits, and in a seeded run the next ids. Attempts in flight are not recorded.
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
   * default key of this emulator and the endpoint of `--forward-to` are added again, as at the start.
   * @throws SvcError as `Store.loadSnapshot`, in which case nothing has changed.
   */
  async loadSnapshot(path: string): Promise<void> {
    const { store, environment } = this.#sandbox;
    await store.loadSnapshot(path, environment, (savedAt) => resumeClocks(savedAt, this.#sandbox));
    try {
      store.setBaseline();
      clearMemory(this.#sandbox);
      const { apiKey: knownKey } = this.#bootstrapResult;
      const { db, forwardTo } = this.#options;
      this.#bootstrapResult = bootstrap(this.#sandbox, { db, knownKey, canAdoptKey: true, forwardTo });
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
    writeKeyFile(this.#options.db, this.#bootstrapResult.apiKey);
  }
}

/**
 * Rebuilds the state in memory from the rows, in the same way at the start and after the rows were replaced, so that a
 * sandbox behaves the same after a reset as after the start.
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
  for (const newestId of [store.workspaces.findNewestId(), store.apiKeys.findNewestId()]) {
    if (newestId !== undefined) generator.ids('resources').continueAfter(newestId);
  }
  workspaces.clear();
}

/**
 * Reads the default API key of an earlier start from its private file next to the database, which contains only a hash.
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

/** Stores the key for the next start. */
function writeKeyFile(db: string, key: string): void {
  if (db === ':memory:' || readKeyFile(db) === key) return;
  writeFileSync(`${db}.key`, `${key}\n`, { mode: 0o600 });
}
