/** Creates an emulator from its parts. */
import { setMaxListeners } from 'node:events';
import { LAST_SCHEDULE_TIME, type WallClock } from './domain/clock.ts';
import type { Environment } from './domain/credentials.ts';
import { type InternalErrorLog, processWarningLog, SvcError } from './domain/errors.ts';
import { defaultRetentionLimits, type RetentionLimits } from './domain/retention-limits.ts';
import type { ForwardTarget } from './domain/webhook-url.ts';
import { createDeliveryEngine } from './emulator/deliveries/delivery-engine.ts';
import { createControlPlane } from './emulator/handlers/create-control-plane.ts';
import { createSandbox, type Sandbox } from './emulator/service/sandbox.ts';
import { StateLifecycle } from './emulator/service/state-lifecycle.ts';
import { listEventTypes } from './fixtures/event-fixtures.ts';
import { fixtureFolders } from './fixtures/fixture-folders.ts';
import { createApp } from './http/create-app.ts';
import { type HttpListener, listen } from './http/http-listener.ts';
import { isLoopbackOnly, type ListenOptions, toEmulatorUrls } from './http/listen-options.ts';
import { resolveControlToken } from './http/request-guard.ts';
import type { Tunnel } from './http/tunnel.ts';
import type { ControlPlane } from './operations/control-plane.ts';
import type { EmulatorStatus } from './operations/emulator-schemas.ts';
import { parseSeed, type Seed } from './operations/seed-schema.ts';
import { assertNotEmulator } from './platform/own-addresses.ts';
import { VERSION } from './platform/package-info.ts';
import { yieldToEventLoop } from './platform/timers.ts';
import { systemClock } from './platform/wall-clock.ts';
import type { Rules } from './profile/rules.ts';
import { toStoreError } from './store/database.ts';
import { describeFileProblem } from './store/database-file-monitor.ts';
import { loadSqlite } from './store/driver.ts';
import { Store } from './store/store.ts';

export { lockFile } from './store/lock-file.ts';

export interface EmulatorOptions extends ListenOptions {
  /** Path of the database file, or `:memory:`. */
  readonly db: string;
  /** Removes all data of the database first. */
  readonly fresh?: boolean | undefined;
  readonly environment: Environment;
  readonly rules: Rules;
  /**
   * Schedule milliseconds per real millisecond, and whether the schedule clock is frozen (default: as stored; speed 1 for a
   * new workspace).
   */
  readonly clock?: { readonly speed?: number; readonly frozen?: boolean } | undefined;
  /**
   * The same seed gives the same IDs, secrets and jitter on every run. With a frozen clock, every byte of the run is
   * repeatable: the schedule clock then starts at 2026-01-01T00:00:00Z, or at `wallClock`.
   */
  readonly randomSeed?: number | null | undefined;
  /** Pins the wall clock to this time (default: the real time). Time limits always use real time. */
  readonly wallClock?: Date | null | undefined;
  /** Initial data, see docs/state.md. Ignored for a database that was in use before. */
  readonly seed?: Seed | null | undefined;
  /** @internal Name of the seed in messages. */
  readonly seedName?: string;
  /** An endpoint to register on startup. */
  readonly forwardTo?: ForwardTarget | null | undefined;
  /** Additional certificate authorities for receivers, in PEM. */
  readonly ca?: string | undefined;
  /** Proxy for deliveries to public receivers (default: none; environment variables are ignored). */
  readonly proxy?: string | undefined;
  /**
   * Days of wall time after which settled deliveries, events and requests are deleted (default: 30, or no limit with
   * `wallClock`). Null means no limit, here and below.
   */
  readonly keepDays?: number | null | undefined;
  /** Maximum size of the database in megabytes. Above it, the oldest settled deliveries are deleted (default: 1024). */
  readonly keepMegabytes?: number | null | undefined;
  /** Folder with a `fixtures` folder to use in addition to the built-in fixtures (default: the working folder). */
  readonly projectFolder?: string | undefined;
  /** Receives internal errors of the emulator (default: emits a process warning). */
  readonly internalErrorLog?: InternalErrorLog | undefined;
  /** @internal Interrupts a start that waits for its tunnel. */
  readonly signal?: AbortSignal | undefined;
  /** @internal Replaces the clock of the machine in tests. */
  readonly wall?: WallClock | undefined;
  /** @internal Folder of the built dashboard, for tests with another one. */
  readonly dashboardFolder?: string | undefined;
  /** @internal Grace period of listener endpoints, for tests that cannot wait ten seconds. */
  readonly listenerGraceMs?: number;
  /** @internal `NORMAL` is not safe against a power cut; only a benchmark uses it. */
  readonly synchronous?: 'FULL' | 'NORMAL';
}

export interface Emulator {
  readonly control: ControlPlane;
  /** Whether the seed was applied, which requires a new database. */
  readonly seeded: boolean;
  /** Aborted when the emulator starts to stop, for any reason. */
  readonly closing: AbortSignal;
  /** Resolves when the emulator has stopped. */
  readonly closed: Promise<void>;
  /** The certificate of the HTTPS server in PEM, for clients to trust; null without HTTPS. */
  readonly certificate: string | null;
  status(): EmulatorStatus;
  /** Stops accepting connections, waits up to five seconds for attempts in flight, and closes the store. */
  close(): Promise<void>;
}

/**
 * Starts an emulator in this process. Resolves when it handles requests.
 * @throws SvcError `port_in_use`, `database_in_use`, `database_unusable`, `sqlite_unavailable`, `validation_failed`, `no_tunnel`,
 *   or `usage` for an invalid `ca` or `proxy`, a `wallClock` before 1970 or after 9998, or a `forwardTo` that is the emulator itself.
 */
export async function startEmulator(options: EmulatorOptions): Promise<Emulator> {
  // Before the first `await`: if a test does not await the start, Jest loads no more modules once the test has failed.
  loadSqlite();
  const wall = options.wall ?? (options.wallClock ? pinClockTo(options.wallClock) : systemClock);
  const startedAt = wall.monotonic();
  const { internalErrorLog = processWarningLog } = options;
  const onInternalError = (where: string, error: unknown) => internalErrorLog.report(where, error);
  // First, because a start that fails must not have changed the database.
  const listener = await listen(options, onInternalError);
  let tunnel: Tunnel | null = null;
  let store: Store | undefined;
  try {
    if (options.forwardTo) assertNotEmulator(options.forwardTo.url);
    if (options.tunnel) {
      const onEnd = (error: SvcError) => onInternalError('the tunnel', error);
      // Loaded late, because execa takes long to load.
      const { openTunnel } = await import('./http/tunnel.ts');
      tunnel = await openTunnel(listener.url, onEnd, options.signal);
    }
    store = new Store({ path: options.db, synchronous: options.synchronous ?? 'FULL' });
    return startWithStore({ store, listener, tunnel, wall, startedAt, internalErrorLog }, options);
  } catch (error) {
    store?.close();
    await Promise.all([tunnel?.close(), listener.close()]);
    // A damaged file or a full disk can be noticed only after the file was opened.
    throw toStoreError(error, options.db);
  }
}

function pinClockTo(date: Date): WallClock {
  const at = date.getTime();
  // Monotonic time, which time limits use, stays real.
  if (at >= 0 && at <= LAST_SCHEDULE_TIME) return { ...systemClock, now: () => at };
  const text = Number.isNaN(at) ? 'an invalid date' : date.toISOString();
  throw new SvcError('usage', `The wall clock cannot be pinned to ${text}.`, {
    hint: 'Use a time from 1970-01-01 to 9999-01-01.',
  });
}

interface EmulatorParts {
  readonly store: Store;
  readonly listener: HttpListener;
  readonly tunnel: Tunnel | null;
  readonly wall: WallClock;
  /** Monotonic time. */
  readonly startedAt: number;
  readonly internalErrorLog: InternalErrorLog;
}

function startWithStore(
  { store, listener, tunnel, wall, startedAt, internalErrorLog }: EmulatorParts,
  options: EmulatorOptions,
): Emulator {
  const {
    host,
    db,
    environment,
    rules,
    seed,
    seedName = 'The seed',
    projectFolder = process.cwd(),
  } = options;
  const controlToken = resolveControlToken(options);
  const folders = fixtureFolders(projectFolder, rules.sender.name);
  const eventTypes = new Set(rules.eventCatalog === 'open' ? [] : listEventTypes(folders));
  const sandbox = openSandbox(store, wall, eventTypes, options);
  // First, because it changes no rows and refuses an invalid `ca` or `proxy`.
  const engine = createDeliveryEngine(sandbox, {
    ca: options.ca,
    proxy: options.proxy,
    retention: resolveRetention(options),
    listenerGraceMs: options.listenerGraceMs,
    onInternalError: (where, error) => internalErrorLog.report(where, error),
  });
  const stateLifecycle = new StateLifecycle(sandbox, {
    ...options,
    seed: seed ? parseSeed(seed, seedName, sandbox) : null,
  });
  const publicUrl = tunnel?.url ?? options.publicUrl ?? null;
  const closing = new AbortController();
  // Each open stream, wait and delayed response listens to its signal.
  setMaxListeners(0, closing.signal);
  const control = createControlPlane(
    {
      sandbox,
      stateLifecycle,
      ...engine,
      fixtureFolders: folders,
      closing: closing.signal,
    },
    { status: () => status(), stop: () => void lifetime.close() },
  );
  const app = createApp({
    sandbox,
    control,
    host,
    publicUrl,
    controlToken,
    internalErrorLog,
    closing: closing.signal,
    dashboardFolder: options.dashboardFolder,
    allowHost: options.allowHost,
  });
  listener.serve(app);
  engine.start();

  const startedAtWall = new Date(wall.now()).toISOString();
  const bootMs = Math.round(wall.monotonic() - startedAt);
  const { baseUrl, controlUrl, dashboardUrl } = toEmulatorUrls(listener.url, publicUrl, controlToken);
  const status = (): EmulatorStatus => {
    const { workspace, apiKey, webhookId } = stateLifecycle.bootstrapResult;
    // Read each time, because the endpoint can get another secret or be deleted.
    const secret = webhookId === null ? undefined : store.webhooks.find(webhookId)?.secret;
    const problem = store.checkFile();
    return {
      url: listener.url,
      base_url: baseUrl,
      control_url: controlUrl,
      dashboard_url: dashboardUrl,
      ...(controlToken === null ? {} : { control_token: controlToken }),
      environment,
      profile: rules.profile,
      workspace_id: workspace.id,
      api_key: apiKey,
      ...(webhookId && secret ? { webhook_id: webhookId, webhook_secret: secret } : {}),
      pid: process.pid,
      version: VERSION,
      db,
      project_folder: projectFolder,
      started_at: startedAtWall,
      boot_ms: bootMs,
      sender: rules.sender.name,
      example_type: rules.sender.example,
      payload_field: rules.payloadField,
      workspace_parameter: rules.list.workspaceParameter,
      deliveries: { pending: store.deliveries.countPending(), in_flight: engine.dispatcher.inFlight },
      ...(problem === null ? {} : { storage_problem: { kind: problem, ...describeFileProblem(problem) } }),
    };
  };
  const lifetime = closeOnce(async () => {
    closing.abort();
    try {
      await Promise.all([tunnel?.close(), listener.close(), engine.stop()]);
    } finally {
      store.flush();
      // Streams of this process read the last changes, such as requests that the log of `svc emulator exec` lists.
      await yieldToEventLoop();
      store.close();
    }
  });
  return {
    control,
    status,
    closing: closing.signal,
    ...lifetime,
    seeded: stateLifecycle.bootstrapResult.isSeeded,
    certificate: listener.certificate,
  };
}

function resolveRetention({ keepDays, keepMegabytes, wallClock }: EmulatorOptions): RetentionLimits {
  const { days, megabytes } = defaultRetentionLimits;
  return {
    // A pinned wall clock does not show the age of rows.
    days: keepDays !== undefined ? keepDays : wallClock ? null : days,
    megabytes: keepMegabytes === undefined ? megabytes : keepMegabytes,
  };
}

function openSandbox(
  store: Store,
  wall: WallClock,
  eventTypes: ReadonlySet<string>,
  options: EmulatorOptions,
): Sandbox {
  const { environment, rules, clock, randomSeed = null, wallClock } = options;
  return createSandbox({
    environment,
    rules,
    store,
    wall,
    randomSeed,
    // A predictable API key is safe only if no other machine can connect.
    seedsKeys: isLoopbackOnly(options),
    newClockSettings: { speed: 1, frozen: false, ...clock },
    eventTypes,
    // A replaced or pinned wall clock gives repeatable times itself.
    hasConstantTimestamp: randomSeed !== null && clock?.frozen === true && !options.wall && !wallClock,
  });
}

/** Creates `close`, which runs `end` once, and `closed`, which resolves after that. */
function closeOnce(end: () => Promise<void>): Pick<Emulator, 'closed' | 'close'> {
  let resolveClosed = () => {};
  const closed = new Promise<void>((resolve) => {
    resolveClosed = resolve;
  });
  let closing: Promise<void> | null = null;
  const close = () => {
    closing ??= end().finally(resolveClosed);
    return closing;
  };
  return { closed, close };
}
