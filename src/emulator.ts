/** The composition root: the only place where everything meets. */
import { pinClock, systemClock } from './clock/wall.ts';
import type { EmulatorStatus } from './contract/emulator.ts';
import { parseSeed, type Seed } from './contract/seed.ts';
import type { ControlPlane } from './control/control-plane.ts';
import { createLocalControlPlane } from './control/local.ts';
import { createEngine } from './delivery/engine.ts';
import type { Environment } from './domain/access.ts';
import { LAST_SCHEDULE_TIME, type WallClock } from './domain/clock.ts';
import type { ForwardTarget } from './domain/forward-target.ts';
import type { ProxyOptions } from './domain/proxy.ts';
import { defaultLimits } from './domain/retention-limits.ts';
import { countAttempts } from './domain/retry-policy.ts';
import { SvcError } from './errors.ts';
import { fixtureFolders } from './fixtures/folders.ts';
import { builtInEventTypes } from './fixtures/library.ts';
import { isOnThisMachineAlone, leadsTo, toAddresses } from './http/addresses.ts';
import { createApp } from './http/app.ts';
import { type FaultLog, warningLog } from './http/fault-log.ts';
import { type Listening, listen, listenNowhere } from './http/listen.ts';
import type { ListenOptions } from './http/listen-options.ts';
import { fetchFrom } from './http/request-faults.ts';
import { chooseControlToken } from './http/token-lock.ts';
import type { Rules } from './profile/rules.ts';
import type { Bootstrapped } from './sandbox/bootstrap.ts';
import { createSandbox, type Sandbox } from './sandbox/sandbox.ts';
import { Session } from './sandbox/session.ts';
import { toStoreError } from './store/database.ts';
import { toLossError } from './store/file-guard.ts';
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
  readonly faultLog?: FaultLog | undefined;
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
  if (at >= 0 && at <= LAST_SCHEDULE_TIME) return pinClock(at);
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
  const { host, rules, faultLog = warningLog } = options;
  const controlToken = chooseControlToken(options);
  const sandbox = openSandbox(store, wall, options);
  const session = openSession(sandbox, options);
  // Both are known for good once it listens.
  let publicUrl = options.publicUrl ?? null;
  let ownPort = 0;
  const retention = {
    // A wall clock that is pinned says nothing about the age of what is stored.
    days: options.keepDays === undefined ? (options.wallClock ? null : defaultLimits.days) : options.keepDays,
    requests: options.keepRequests === undefined ? defaultLimits.requests : options.keepRequests,
    megabytes: options.keepMegabytes === undefined ? defaultLimits.megabytes : options.keepMegabytes,
  };
  const engine = createEngine(sandbox, {
    ...{ ca: options.ca, proxy: options.proxy, retention },
    ...{ listenerGraceMs: options.listenerGraceMs, onFault: (where, fault) => faultLog.report(where, fault) },
    isOwnAddress: (address, port) => port === ownPort && leadsTo(host, address),
  });
  const folders = fixtureFolders(options.projectFolder ?? process.cwd());
  const control = createLocalControlPlane(
    { sandbox, session, ...engine, fixtureFolders: folders },
    { status: () => status(), stop: () => void ending.close() },
  );
  const closing = new AbortController();
  const app = createApp({
    ...{ sandbox, control, host, publicUrl, controlToken, faultLog, closing: closing.signal },
    ...{ dashboardFolder: options.dashboardFolder, allowHost: options.allowHost },
    fixtureFolders: folders,
    findPublicUrl: () => publicUrl,
    addressesAt: (origin) => toAddresses(origin, publicUrl, controlToken),
  });
  const listening =
    options.listen === false
      ? listenNowhere(options)
      : await listen(app, options, (where, fault) => faultLog.report(where, fault));
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
    ...describe(options, session.bootstrapped, listening, controlToken),
    ...facts,
    deliveries: { pending: store.deliveries.countPending(), in_flight: engine.dispatcher.inFlight },
    ...describeLoss(store),
  });
  const ending = endOnce(async () => {
    closing.abort();
    try {
      await Promise.all([listening.close(), engine.stop()]);
    } finally {
      store.close();
    }
  });
  return {
    ...{ control, status, ...ending },
    seeded: session.bootstrapped.seeded,
    certificate: listening.certificate,
    fetch: (request) => fetchFrom(app, request),
  };
}

function describeLoss(store: Store): Pick<EmulatorStatus, 'storage_problem'> {
  const kind = store.lookForFile();
  if (kind === null) return {};
  const { message, hint = '' } = toLossError(kind);
  return { storage_problem: { kind, message, hint } };
}

function openSandbox(store: Store, wall: WallClock, options: EmulatorOptions): Sandbox {
  const { environment, rules, clock, randomSeed = null, wallClock } = options;
  return createSandbox({
    ...{ environment, rules, store, wall, randomSeed },
    seedsKeys: isOnThisMachineAlone(options),
    newClock: { speed: 1, frozen: false, ...clock },
    catalogue: new Set(builtInEventTypes()),
    isRepeatable: randomSeed !== null && clock?.frozen === true && !options.wall && !wallClock,
  });
}

function openSession(sandbox: Sandbox, options: EmulatorOptions): Session {
  const { seed, seedName = 'The seed' } = options;
  return new Session(sandbox, { ...options, seed: seed ? parseSeed(seed, seedName, sandbox) : null });
}

/** What ends it the first time it is asked to, and tells when that is done, whoever asked. */
function endOnce(end: () => Promise<void>): Pick<Emulator, 'closed' | 'close'> {
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
  { workspace, apiKey, webhook }: Bootstrapped,
  { url, publicUrl }: Listening,
  controlToken: string | null,
) {
  const { baseUrl, controlUrl, dashboardUrl } = toAddresses(url, publicUrl, controlToken);
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
