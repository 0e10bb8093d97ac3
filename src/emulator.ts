/** The composition root: the only place where everything meets. */
import { createPinnedClock, systemClock } from './clock/wall-clock.ts';
import type { EmulatorStatus } from './contract/emulator-schemas.ts';
import { parseSeed, type Seed } from './contract/seed-schema.ts';
import type { ControlPlane } from './control/control-plane.ts';
import { createInProcessControlPlane } from './control/in-process-control-plane.ts';
import { createDeliveryEngine } from './delivery/delivery-engine.ts';
import { LAST_SCHEDULE_TIME, type WallClock } from './domain/clock.ts';
import type { Environment } from './domain/environment.ts';
import type { ForwardTarget } from './domain/forward-url.ts';
import type { ProxyOptions } from './domain/http-proxy.ts';
import { defaultRetentionLimits } from './domain/retention-limits.ts';
import { countAttempts } from './domain/retry-policy.ts';
import { SvcError } from './errors.ts';
import { builtInEventTypes } from './fixtures/event-fixtures.ts';
import { fixtureFolders } from './fixtures/fixture-folders.ts';
import { createApp } from './http/app.ts';
import { resolveControlToken } from './http/control-auth.ts';
import { isLoopbackOnly, reaches, toEmulatorUrls } from './http/emulator-urls.ts';
import { type InternalErrorLog, processWarningLog } from './http/internal-error-log.ts';
import { createUnboundListener, type HttpListener, listen } from './http/listen.ts';
import type { ListenOptions } from './http/listen-options.ts';
import { fetchInProcess } from './http/request-faults.ts';
import type { Rules } from './profile/rules.ts';
import type { BootstrapResult } from './sandbox/bootstrap.ts';
import { createSandbox, type Sandbox } from './sandbox/sandbox.ts';
import { StateLifecycle } from './sandbox/state-lifecycle.ts';
import { toStoreError } from './store/database.ts';
import { toFileProblemError } from './store/database-file-monitor.ts';
import { Store } from './store/store.ts';
import { VERSION } from './version.ts';

export interface EmulatorOptions extends ListenOptions {
  /** Path of the database file, or `:memory:`. */
  readonly db: string;
  /** False opens no port: only `fetch` is answered. */
  readonly listen?: boolean;
  readonly environment: Environment;
  readonly rules: Rules;
  /**
   * Schedule milliseconds per real millisecond, and whether the schedule clock stands still. What is left out goes on
   * as the store has it; the clock of a new workspace runs at 1.
   */
  readonly clock?: { readonly speed?: number; readonly frozen?: boolean } | undefined;
  /**
   * The same seed gives the same ids, secrets and jitter on every run. With a frozen clock, the run is repeatable to
   * the byte: the schedule clock then starts at 2026-01-01T00:00:00Z, or where the wall clock is pinned.
   */
  readonly randomSeed?: number | null | undefined;
  /** What the wall clock shows, always; time limits stay real. By default it shows the time. */
  readonly wallClock?: Date | null | undefined;
  /** What the sandbox has from its first boot on, see docs/seed.md. A database that was in use before is left as it is. */
  readonly seed?: Seed | null | undefined;
  /** @internal What messages call it. */
  readonly seedName?: string;
  /** An endpoint that is there from boot on. */
  readonly forwardTo?: ForwardTarget | null | undefined;
  /** Certificate authorities in PEM that receivers may use, beside the usual ones. */
  readonly ca?: string | undefined;
  /** Between the emulator and public receivers; without it, none, whatever the environment says. */
  readonly proxy?: ProxyOptions | undefined;
  /**
   * Days of wall time after which what has settled is removed (default: 30; under a pinned `wallClock` no limit). Null
   * sets no limit, here and below.
   */
  readonly keepDays?: number | null | undefined;
  /** Requests of the log that are kept, the newest (default: 100 000). */
  readonly keepRequests?: number | null | undefined;
  /** Megabytes that the database may take up before the oldest of what has settled is removed (default: 1024). */
  readonly keepMegabytes?: number | null | undefined;
  /** Whose folder `fixtures` is looked up beside the built-in one; the working folder when left out. */
  readonly projectFolder?: string | undefined;
  /** Where faults of the emulator itself are told; by default a warning of the process. */
  readonly internalErrorLog?: InternalErrorLog | undefined;
  /** @internal The machine's, with its passing of time, for tests that move it. */
  readonly wall?: WallClock | undefined;
  /** @internal Where the built dashboard is, for tests that bring one of their own. */
  readonly dashboardFolder?: string | undefined;
  /** @internal For tests that cannot wait ten seconds. */
  readonly listenerGraceMs?: number;
  /** @internal `NORMAL` gives up safety against a power cut: for the benchmark that tells what it costs. */
  readonly synchronous?: 'FULL' | 'NORMAL';
}

export interface Emulator {
  readonly control: ControlPlane;
  /** Whether the seed was applied: not where the database was in use before. */
  readonly seeded: boolean;
  /** Resolves when it has stopped, whoever stopped it. */
  readonly closed: Promise<void>;
  /** The certificate that is served, in PEM, for clients to trust; null without HTTPS. */
  readonly certificate: string | null;
  status(): EmulatorStatus;
  /** Answers a request without the network. */
  fetch(request: Request): Promise<Response>;
  /** Stops: takes no new connections, lets attempts under way end for up to five seconds, and closes the store. */
  close(): Promise<void>;
}

/**
 * Boots the whole sandbox in this process. Resolves once requests are answered.
 * @throws SvcError `port_in_use`, `database_in_use`, `database_unusable`, `validation_failed`, `no_tunnel`, or `usage` for a
 *   `wallClock` before 1970 or after 9998, a `ca` that is no certificate or a `proxy` that is no address.
 */
export async function startEmulator(options: EmulatorOptions): Promise<Emulator> {
  const wall = options.wall ?? (options.wallClock ? pinClockTo(options.wallClock) : systemClock);
  const startedAt = wall.monotonic();
  let store: Store | undefined;
  try {
    store = new Store({ path: options.db, synchronous: options.synchronous ?? 'FULL' });
    return await startOn(store, wall, startedAt, options);
  } catch (error) {
    store?.close();
    // Damage, or a disk without space, may come to light only now.
    throw toStoreError(error, options.db);
  }
}

function pinClockTo(date: Date): WallClock {
  const at = date.getTime();
  if (at >= 0 && at <= LAST_SCHEDULE_TIME) return createPinnedClock(at);
  const text = Number.isNaN(at) ? 'an invalid date' : date.toISOString();
  throw new SvcError('usage', `The wall clock cannot show ${text}.`, {
    hint: 'Name a time from 1970-01-01 to 9999-01-01.',
  });
}

async function startOn(
  store: Store,
  wall: WallClock,
  startedAt: number,
  options: EmulatorOptions,
): Promise<Emulator> {
  const { host, rules, internalErrorLog = processWarningLog } = options;
  const controlToken = resolveControlToken(options);
  const sandbox = openSandbox(store, wall, options);
  const stateLifecycle = createStateLifecycle(sandbox, options);
  // Both are known for good once it listens.
  let publicUrl = options.publicUrl ?? null;
  let ownPort = 0;
  const retention = {
    // A wall clock that is pinned says nothing about the age of what is stored.
    days:
      options.keepDays === undefined
        ? options.wallClock
          ? null
          : defaultRetentionLimits.days
        : options.keepDays,
    requests: options.keepRequests === undefined ? defaultRetentionLimits.requests : options.keepRequests,
    megabytes: options.keepMegabytes === undefined ? defaultRetentionLimits.megabytes : options.keepMegabytes,
  };
  const engine = createDeliveryEngine(sandbox, {
    ...{ ca: options.ca, proxy: options.proxy, retention },
    ...{
      listenerGraceMs: options.listenerGraceMs,
      onInternalError: (where, fault) => internalErrorLog.report(where, fault),
    },
    isOwnAddress: (address, port) => port === ownPort && reaches(host, address),
  });
  const folders = fixtureFolders(options.projectFolder ?? process.cwd());
  const control = createInProcessControlPlane(
    { sandbox, stateLifecycle, ...engine, fixtureFolders: folders },
    { status: () => status(), stop: () => void ending.close() },
  );
  const closing = new AbortController();
  const app = createApp({
    ...{ sandbox, control, host, publicUrl, controlToken, internalErrorLog, closing: closing.signal },
    ...{ dashboardFolder: options.dashboardFolder, allowHost: options.allowHost },
    fixtureFolders: folders,
    getPublicUrl: () => publicUrl,
    getUrls: (origin) => toEmulatorUrls(origin, publicUrl, controlToken),
  });
  const listening =
    options.listen === false
      ? createUnboundListener(options)
      : await listen(app, options, (where, fault) => internalErrorLog.report(where, fault));
  publicUrl = listening.publicUrl;
  ownPort = listening.port;
  engine.start();

  const facts = {
    started_at: new Date(wall.now()).toISOString(),
    boot_ms: Math.round(wall.monotonic() - startedAt),
    max_attempts: countAttempts(rules.retry),
    payload_member: rules.payloadMember,
    retention,
  };
  const status = (): EmulatorStatus => ({
    ...describe(options, stateLifecycle.bootstrapped, listening, controlToken),
    ...facts,
    deliveries: { pending: store.deliveries.countPending(), in_flight: engine.dispatcher.inFlight },
    ...describeFileProblem(store),
  });
  const ending = closeOnce(async () => {
    closing.abort();
    try {
      await Promise.all([listening.close(), engine.stop()]);
    } finally {
      store.close();
    }
  });
  return {
    ...{ control, status, ...ending },
    seeded: stateLifecycle.bootstrapped.seeded,
    certificate: listening.certificate,
    fetch: (request) => fetchInProcess(app, request),
  };
}

function describeFileProblem(store: Store): Pick<EmulatorStatus, 'storage_problem'> {
  const kind = store.checkFile();
  if (kind === null) return {};
  const { message, hint = '' } = toFileProblemError(kind);
  return { storage_problem: { kind, message, hint } };
}

function openSandbox(store: Store, wall: WallClock, options: EmulatorOptions): Sandbox {
  const { environment, rules, clock, randomSeed = null, wallClock } = options;
  return createSandbox({
    ...{ environment, rules, store, wall, randomSeed },
    seedsKeys: isLoopbackOnly(options),
    newClockSettings: { speed: 1, frozen: false, ...clock },
    catalogue: new Set(builtInEventTypes()),
    isRepeatable: randomSeed !== null && clock?.frozen === true && !options.wall && !wallClock,
  });
}

function createStateLifecycle(sandbox: Sandbox, options: EmulatorOptions): StateLifecycle {
  const { seed, seedName = 'The seed' } = options;
  return new StateLifecycle(sandbox, { ...options, seed: seed ? parseSeed(seed, seedName, sandbox) : null });
}

/** What ends it the first time it is asked to, and tells when that is done, whoever asked. */
function closeOnce(end: () => Promise<void>): Pick<Emulator, 'closed' | 'close'> {
  let announce = () => {};
  const closed = new Promise<void>((resolve) => {
    announce = resolve;
  });
  let ending: Promise<void> | null = null;
  const close = () => {
    ending ??= end().finally(announce);
    return ending;
  };
  return { closed, close };
}

function describe(
  { db, environment, rules }: EmulatorOptions,
  { workspace, apiKey, webhook }: BootstrapResult,
  { url, publicUrl }: HttpListener,
  controlToken: string | null,
) {
  const { baseUrl, controlUrl, dashboardUrl } = toEmulatorUrls(url, publicUrl, controlToken);
  return {
    ...{ url, base_url: baseUrl, control_url: controlUrl, dashboard_url: dashboardUrl },
    ...(controlToken === null ? {} : { control_token: controlToken }),
    environment,
    profile: rules.profile,
    workspace_id: workspace.id,
    api_key: apiKey,
    ...(webhook ? { webhook_id: webhook.id, webhook_secret: webhook.secret } : {}),
    pid: process.pid,
    version: VERSION,
    db,
  };
}
