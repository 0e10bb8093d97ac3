/** The composition root: the only place where everything meets. */
import { networkInterfaces } from 'node:os';
import { pinClock, systemClock } from './clock/wall.ts';
import type { EmulatorStatus } from './contract/emulator.ts';
import { createPublicOperations } from './contract/public-api.ts';
import { parseSeed, type Seed } from './contract/seed.ts';
import type { ControlPlane } from './control/control-plane.ts';
import { createLocalControlPlane } from './control/local.ts';
import { ClockDriver } from './delivery/clock-driver.ts';
import { Dispatcher } from './delivery/dispatcher.ts';
import { createSender } from './delivery/sender.ts';
import type { Environment } from './domain/access.ts';
import { classifyAddress } from './domain/address.ts';
import type { WallClock } from './domain/clock.ts';
import type { ForwardTarget } from './domain/forward-target.ts';
import type { ProxyOptions } from './domain/proxy.ts';
import { countAttempts } from './domain/retry-policy.ts';
import { fixtureFolders } from './fixtures/folders.ts';
import { builtInEventTypes } from './fixtures/library.ts';
import { toAddresses } from './http/addresses.ts';
import { createApp } from './http/app.ts';
import { type FaultLog, warningLog } from './http/fault-log.ts';
import { type Listening, listen, listenNowhere } from './http/listen.ts';
import type { ListenOptions } from './http/listen-options.ts';
import { chooseControlToken } from './http/token-lock.ts';
import type { Rules } from './profile/rules.ts';
import type { Bootstrapped } from './sandbox/bootstrap.ts';
import { Bus } from './sandbox/bus.ts';
import { keepClock } from './sandbox/clock-keeping.ts';
import { Faults } from './sandbox/faults.ts';
import { Listeners } from './sandbox/listeners.ts';
import { LiveWorkspaces } from './sandbox/live-workspaces.ts';
import { Mint } from './sandbox/mint.ts';
import { startRetention } from './sandbox/retention.ts';
import type { Sandbox } from './sandbox/sandbox.ts';
import { Session } from './sandbox/session.ts';
import { toStoreError } from './store/database.ts';
import { Store } from './store/store.ts';
import { clearTimeout, setTimeout } from './timers.ts';
import { VERSION } from './version.ts';

/** Real time that a stop gives to attempts under way. */
const STOP_GRACE_MS = 5_000;

/** How long a listener may be gone, in real time: enough for a connection that was lost, or a restart. */
const LISTENER_GRACE_MS = 10_000;

/** Where the time of a repeatable run stands, unless its wall clock is pinned elsewhere. */
const REPEATABLE_START = Date.UTC(2026, 0, 1);

/** The HTTP client takes tens of milliseconds to load: after the first answers, and before most first deliveries. */
const PREPARE_AFTER_MS = 200;

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
  /** Days of wall time after which what has settled is removed; by default it is kept. */
  readonly keepDays?: number | null | undefined;
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
 * @throws SvcError `port_in_use`, `database_in_use`, `database_unusable`, `validation_failed`, `no_tunnel`, or `usage` for a `ca`
 *   that is no certificate or a `proxy` that is no address.
 */
export async function startEmulator(options: EmulatorOptions): Promise<Emulator> {
  const wall = options.wall ?? (options.wallClock ? pinClock(options.wallClock.getTime()) : systemClock);
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

async function startOn(
  store: Store,
  wall: WallClock,
  startedAt: number,
  options: EmulatorOptions,
): Promise<Emulator> {
  const { host, ca, proxy, keepDays, faultLog = warningLog } = options;
  let publicUrl = options.publicUrl ?? null;
  const controlToken = chooseControlToken(options);
  const sandbox = createSandbox(store, wall, options);
  const { seed, seedName = 'The seed' } = options;
  const session = new Session(sandbox, {
    ...options,
    seed: seed ? parseSeed(seed, seedName, sandbox) : null,
  });
  const { seeded } = session.bootstrapped;

  let ownPort = 0;
  const isOwnAddress = (address: string, port: number) => port === ownPort && leadsTo(host, address);
  const sender = createSender({ wall, rule: options.rules.webhookUrl, isOwnAddress, ca, proxy });
  const dispatcher = new Dispatcher({
    sandbox,
    sender,
    onFault: (fault) => faultLog.report('a delivery', fault),
  });
  const closing = new AbortController();
  const listeners = new Listeners(sandbox, {
    graceMs: options.listenerGraceMs ?? LISTENER_GRACE_MS,
    onFault: (fault) => faultLog.report('the removal of an endpoint', fault),
  });
  const clock = new ClockDriver(sandbox, dispatcher);
  const control = createLocalControlPlane(
    {
      ...{ sandbox, session, clock, sender, listeners },
      fixtureFolders: fixtureFolders(options.projectFolder ?? process.cwd()),
    },
    { status: () => status(), stop: () => void close() },
  );
  const app = createApp({
    ...{ sandbox, control, host, publicUrl, controlToken, faultLog, closing: closing.signal },
    dashboardFolder: options.dashboardFolder,
    addressesAt: (origin) => toAddresses(origin, publicUrl, controlToken),
  });
  const listening =
    options.listen === false
      ? listenNowhere(options)
      : await listen(app, options, (fault) => faultLog.report('the tunnel', fault));
  publicUrl = listening.publicUrl;
  ownPort = listening.port;
  dispatcher.start();
  listeners.start();
  const endRetention = keepDays
    ? startRetention(sandbox, keepDays, (fault) => faultLog.report('the removal of old rows', fault))
    : () => {};
  const preparing = setTimeout(() => void sender.prepare(), PREPARE_AFTER_MS);

  const facts = {
    started_at: new Date(wall.now()).toISOString(),
    boot_ms: Math.round(wall.monotonic() - startedAt),
    max_attempts: countAttempts(options.rules.retry),
    payload_member: options.rules.payloadMember,
  };
  const status = (): EmulatorStatus => ({
    ...describe(options, session.bootstrapped, listening, controlToken),
    ...facts,
    deliveries: { pending: store.deliveries.countPending(), in_flight: dispatcher.inFlight },
  });

  let announceClosed = () => {};
  const closed = new Promise<void>((resolve) => {
    announceClosed = resolve;
  });
  const shutDown = async () => {
    closing.abort();
    clearTimeout(preparing);
    listeners.stop();
    endRetention();
    await Promise.all([listening.close(), dispatcher.stop(STOP_GRACE_MS)]);
    try {
      await store.write(() => {
        for (const workspace of sandbox.workspaces.all()) keepClock(sandbox, workspace);
      });
    } finally {
      store.close();
      announceClosed();
    }
  };
  let shutting: Promise<void> | null = null;
  const close = () => {
    shutting ??= shutDown();
    return shutting;
  };
  const { certificate } = listening;
  return {
    control,
    seeded,
    closed,
    certificate,
    status,
    fetch: async (request) => app.fetch(request),
    close,
  };
}

function createSandbox(store: Store, wall: WallClock, options: EmulatorOptions): Sandbox {
  const { rules, environment } = options;
  const mint = new Mint(options.randomSeed ?? null);
  mint.restart(`after ${store.lastSeq}`);
  const catalogue = new Set(builtInEventTypes());
  const bus = new Bus();
  const stamp = isRepeatable(options) ? () => REPEATABLE_START : wall.now;
  return {
    ...{ environment, rules, store, wall, mint, catalogue, bus, stamp },
    newClock: { speed: 1, frozen: false, ...options.clock },
    faults: new Faults({ store, mint, bus, stamp }),
    workspaces: new LiveWorkspaces(store, wall, mint),
    operations: createPublicOperations({ rules, environment, catalogue }),
  };
}

/** Whether two runs are to differ in nothing but what the wall clock shows. */
function isRepeatable({ randomSeed, clock, wall, wallClock }: EmulatorOptions): boolean {
  const hasSeed = randomSeed !== undefined && randomSeed !== null;
  return hasSeed && clock?.frozen === true && !wall && !wallClock;
}

/** Whether connections to `address` arrive at a server that listens on `host`. */
function leadsTo(host: string, address: string): boolean {
  if (address === host || classifyAddress(address).kind === 'loopback') return true;
  if (host !== '0.0.0.0' && host !== '::') return false;
  return Object.values(networkInterfaces()).some((entries) =>
    entries?.some((entry) => entry.address === address),
  );
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
