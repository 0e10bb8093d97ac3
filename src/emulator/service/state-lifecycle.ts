/** Prepares a sandbox on startup, resets it, and saves and loads snapshots of it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { scopes } from '../../domain/credentials.ts';
import { SvcError } from '../../domain/errors.ts';
import type { ForwardTarget } from '../../domain/webhook-url.ts';
import type { ValidatedSeed } from '../../operations/seed-schema.ts';
import { createApiKey } from './access.ts';
import { createEvent } from './events.ts';
import type { Sandbox } from './sandbox.ts';
import { createWebhook, type NewWebhook, registerForwardTarget, validateEndpoint } from './webhooks.ts';
import type { LoadedWorkspace } from './workspace-registry.ts';

interface StateLifecycleOptions extends Pick<BootstrapOptions, 'db' | 'seed' | 'forwardTo' | 'clock'> {
  readonly fresh?: boolean | undefined;
}

export class StateLifecycle {
  readonly #sandbox: Sandbox;
  readonly #options: StateLifecycleOptions;
  #bootstrapResult: BootstrapResult;
  /** Wall time of the baseline. */
  #baselineAt = 0;
  /** Names the series of random values, which a reset repeats: the newest sequence when the series began. */
  #seriesSeq = 0;

  /**
   * @throws SvcError `database_unusable` if the store belongs to the other environment (§1: environments share no data), or as
   *   {@link bootstrap}. Nothing has changed then, but the store must be closed.
   */
  constructor(sandbox: Sandbox, options: StateLifecycleOptions) {
    this.#sandbox = sandbox;
    this.#options = options;
    const { store } = sandbox;
    assertStoreEnvironment(sandbox, options.db);
    const bootstrapOptions = { ...options, knownKey: readKeyFile(options.db) };
    this.#bootstrapResult = options.fresh
      ? store.startFresh(() => {
          clearMemory(sandbox, store.lastSeq);
          return bootstrap(sandbox, bootstrapOptions);
        })
      : bootstrap(sandbox, bootstrapOptions);
    this.#startFromCurrentState();
  }

  get bootstrapResult(): BootstrapResult {
    return this.#bootstrapResult;
  }

  /**
   * Restores the state of the start or of the last loaded snapshot: rows, clocks, rate limits, and in a seeded run the next IDs. Attempts in flight are not recorded.
   * @throws SvcError `storage_unavailable`, in which case nothing has changed.
   */
  reset(): void {
    const { store, workspaces } = this.#sandbox;
    store.replaceState('baseline', () => workspaces.resumeClocks(this.#baselineAt));
    this.#rebuildMemory();
  }

  /**
   * Removes all state, and starts again as on a new database, which becomes the state that a reset restores. The default
   * workspace keeps its ID, the default API key stays valid, and the endpoint of `--forward-to` keeps its ID and secret,
   * because programs use these values.
   * @throws SvcError `storage_unavailable`, in which case nothing has changed, or the error of `setBaseline`, after the reset.
   */
  resetAll(): void {
    const { store } = this.#sandbox;
    const { workspace, webhookId } = this.#bootstrapResult;
    const { id, secret } = (webhookId && store.webhooks.find(webhookId)) || {};
    const options = { ...this.#options, workspaceId: workspace.id, forwardEndpoint: { id, secret } };
    this.#startAgain(options, (bootstrapAgain) => store.replaceState(null, bootstrapAgain));
  }

  /**
   * Writes the complete state to one file.
   * @returns its size, and the wall time of the state
   * @throws SvcError `usage` if the path cannot be written, or `storage_unavailable`.
   */
  saveSnapshot(path: string): { readonly size: number; readonly savedAt: number } {
    const { store, wall, workspaces } = this.#sandbox;
    const savedAt = wall.now();
    const size = store.saveSnapshot(path, savedAt, () => {
      for (const workspace of workspaces.listLoaded()) workspaces.persistClock(workspace);
    });
    return { size, savedAt };
  }

  /**
   * Replaces the state by that of a snapshot, including the clocks, and makes it the state that a reset restores. The
   * default key of this emulator and the endpoint of `--forward-to` are added again, as on startup.
   * @throws SvcError as `Store.loadSnapshot`, in which case nothing has changed, or the error of `setBaseline`, after the load.
   */
  loadSnapshot(path: string): void {
    const { store, environment, workspaces } = this.#sandbox;
    const { db, forwardTo } = this.#options;
    this.#startAgain({ db, forwardTo }, (bootstrapAgain) =>
      store.loadSnapshot(path, environment, (savedAt) => {
        workspaces.resumeClocks(savedAt);
        // It can fail: the snapshot can have as many endpoints as the workspace can have.
        bootstrapAgain();
      }),
    );
  }

  /** @param replaceRows replaces all rows, and calls `bootstrapAgain` in the same transaction */
  #startAgain(
    options: Omit<BootstrapOptions, 'knownKey' | 'canAdoptKey'>,
    replaceRows: (bootstrapAgain: () => void) => void,
  ): void {
    const { store } = this.#sandbox;
    const earlierResult = this.#bootstrapResult;
    const { apiKey: knownKey } = earlierResult;
    let areRowsReplaced = false;
    try {
      replaceRows(() => {
        areRowsReplaced = true;
        clearMemory(this.#sandbox, store.lastSeq);
        this.#bootstrapResult = bootstrap(this.#sandbox, { ...options, knownKey, canAdoptKey: true });
      });
    } catch (error) {
      // The transaction was rolled back. The rows that stay have the values of the current series.
      if (areRowsReplaced) {
        this.#bootstrapResult = earlierResult;
        this.#rebuildMemory(store.lastSeq);
      }
      throw error;
    }
    this.#startFromCurrentState();
  }

  #startFromCurrentState(): void {
    const { store, wall } = this.#sandbox;
    this.#seriesSeq = store.lastSeq;
    try {
      store.setBaseline();
      this.#baselineAt = wall.now();
    } finally {
      this.#rebuildMemory();
    }
    writeKeyFile(this.#options.db, this.#bootstrapResult.apiKey);
  }

  /**
   * Rebuilds the state in memory from the rows, in the same way on startup and after the rows were replaced, so that a
   * sandbox behaves the same after a reset as after the start.
   */
  #rebuildMemory(seriesSeq = this.#seriesSeq): void {
    clearMemory(this.#sandbox, seriesSeq);
    this.#sandbox.bus.publish({ type: 'state_replaced' });
  }
}

function clearMemory({ store, generator, workspaces }: Sandbox, seriesSeq: number): void {
  // A reset can repeat the series, because it has removed the rows with its values.
  generator.startSeries(`after ${seriesSeq}`);
  const ids = generator.ids('resources');
  for (const newestId of store.workspaces.listNewestResourceIds()) ids.continueAfter(newestId);
  workspaces.clear();
}

/**
 * Reads the default API key of an earlier start from its private file next to the database, which contains only a hash.
 * @returns null if the file does not exist or cannot be read.
 */
function readKeyFile(db: string): string | null {
  if (db === ':memory:') return null;
  try {
    return readFileSync(`${db}.key`, 'utf8').trim() || null;
  } catch {
    return null;
  }
}

function writeKeyFile(db: string, key: string): void {
  if (db === ':memory:' || readKeyFile(db) === key) return;
  writeFileSync(`${db}.key`, `${key}\n`, { mode: 0o600 });
}

const DEFAULT_WORKSPACE_NAME = 'Default workspace';

interface BootstrapOptions {
  /** Path of the database file, next to which the default key is stored, or `:memory:`. */
  readonly db: string;
  /** The key of an earlier start; it is used again unless it was revoked. */
  readonly knownKey: string | null;
  /** Whether that key is added to the store if it does not exist there. */
  readonly canAdoptKey?: boolean;
  /** Initial data for a store without a workspace; ignored for any other store. */
  readonly seed?: ValidatedSeed | null | undefined;
  readonly forwardTo?: ForwardTarget | null | undefined;
  /** ID of the default workspace in a store without a workspace, unless the seed has one (default: a new one). */
  readonly workspaceId?: string;
  /** ID and secret of the endpoint of `forwardTo`, if it has to be created (default: new ones). */
  readonly forwardEndpoint?: Pick<NewWebhook, 'id' | 'secret'>;
  /** Settings for the clock of the default workspace. By default, the clock continues with its stored settings. */
  readonly clock?: { readonly speed?: number; readonly frozen?: boolean } | undefined;
}

export interface BootstrapResult {
  readonly workspace: LoadedWorkspace;
  readonly apiKey: string;
  /** Whether {@link BootstrapOptions.seed} was applied. */
  readonly isSeeded: boolean;
  /** ID of the endpoint of `--forward-to`, even if it was deleted later; null without one. */
  readonly webhookId: string | null;
}

/**
 * Prepares the store for use.
 * @throws SvcError `validation_failed` if the rules do not accept the endpoint.
 */
function bootstrap(sandbox: Sandbox, options: BootstrapOptions): BootstrapResult {
  const { seed, forwardTo, forwardEndpoint, workspaceId, clock } = options;
  const { store, workspaces, environment } = sandbox;
  return store.writeNow(() => {
    const isNew = store.workspaces.findOldest() === undefined;
    if (isNew) store.settings.set('environment', environment);
    const appliedSeed = isNew && seed ? seed : null;
    if (appliedSeed) applySeed(sandbox, appliedSeed, workspaceId);
    else if (isNew) workspaces.insert({ name: DEFAULT_WORKSPACE_NAME, id: workspaceId });
    const workspace = workspaces.default;
    // Only if they change the clock, because a start that writes nothing does not wait for the disk.
    if (clock?.speed !== undefined || clock?.frozen !== undefined) {
      workspace.clock.set(clock);
      workspaces.persistClock(workspace);
    }
    const knownKey = (appliedSeed && findDefaultKey(appliedSeed)) ?? options.knownKey;
    const apiKey = ensureKey(sandbox, workspace, { ...options, knownKey });
    const webhookId = forwardTo
      ? registerForwardEndpoint(sandbox, { ...forwardTo, ...forwardEndpoint, workspace })
      : null;
    return { workspace, apiKey, isSeeded: appliedSeed !== null, webhookId };
  });
}

function assertStoreEnvironment({ store, environment }: Sandbox, db: string): void {
  const owner = store.settings.find('environment');
  if (owner !== undefined && owner !== environment) {
    const message = `${db} belongs to the ${owner} environment, but this emulator runs as ${environment}.`;
    throw new SvcError('database_unusable', message, {
      hint: `Choose another database file, or start with the environment ${owner}.`,
    });
  }
}

function ensureKey(
  sandbox: Sandbox,
  workspace: LoadedWorkspace,
  { knownKey, canAdoptKey = false }: BootstrapOptions,
): string {
  const row = knownKey === null ? undefined : sandbox.store.apiKeys.findByKey(knownKey);
  if (knownKey !== null && row?.revoked_at === null) return knownKey;
  const canAdopt = canAdoptKey && knownKey !== null && row === undefined;
  return createApiKey(sandbox, {
    name: 'Default key',
    scopes,
    workspace,
    ...(canAdopt && { key: knownKey }),
  }).key;
}

/** Registers the endpoint of `--forward-to` by the rules of `POST /webhooks`. @returns its ID */
function registerForwardEndpoint(sandbox: Sandbox, endpoint: NewWebhook): string {
  const { workspace, url, events } = endpoint;
  const input = { workspace_id: workspace.id, url, events };
  validateEndpoint(sandbox.operations.createWebhook.input, input, sandbox.rules);
  return registerForwardTarget(sandbox, endpoint).id;
}

/** Writes the records of a seed. Its events are delivered like events that are created through the API. Call inside a store transaction. */
function applySeed(sandbox: Sandbox, { workspaces, keys, faults }: ValidatedSeed, defaultId?: string): void {
  for (const [index, workspace] of workspaces.entries()) {
    seedWorkspace(sandbox, index === 0 ? { id: defaultId, ...workspace } : workspace);
  }
  for (const key of keys) createApiKey(sandbox, { ...key, workspace: null });
  for (const fault of faults) sandbox.faults.insert(fault);
}

function seedWorkspace(sandbox: Sandbox, seed: ValidatedSeed['workspaces'][number]): void {
  const { seq } = sandbox.workspaces.insert(seed);
  const workspace = sandbox.workspaces.get(seq);
  for (const key of seed.keys) createApiKey(sandbox, { ...key, workspace });
  for (const webhook of seed.webhooks) createWebhook(sandbox, { ...webhook, workspace });
  for (const { payload = {}, ...event } of seed.events) {
    createEvent(sandbox, { ...event, workspace, payload: JSON.stringify(payload) });
  }
  for (const fault of seed.faults) sandbox.faults.insert({ ...fault, workspace_id: workspace.id });
}

/** The first key of a seed with all scopes in its first workspace, which replaces the generated default key. */
function findDefaultKey({ workspaces, keys }: ValidatedSeed): string | null {
  const candidates = [...(workspaces[0]?.keys ?? []), ...keys];
  return candidates.find((key) => scopes.every((scope) => key.scopes.includes(scope)))?.key ?? null;
}
