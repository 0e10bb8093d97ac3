/** The shared state and services that every operation uses. Created once, at the start. */
import { createPublicOperations, type PublicOperations } from '../contract/public-operations.ts';
import type { WallClock } from '../domain/clock.ts';
import type { Environment } from '../domain/credentials.ts';
import type { Rules } from '../profile/rules.ts';
import type { Store } from '../store/store.ts';
import { EventBus } from './event-bus.ts';
import { FaultRegistry } from './faults.ts';
import { IdAndSecretGenerator } from './id-and-secret-generator.ts';
import { WorkspaceRegistry } from './workspace-registry.ts';

export interface Sandbox {
  readonly environment: Environment;
  readonly rules: Rules;
  readonly store: Store;
  readonly wall: WallClock;
  readonly bus: EventBus;
  readonly faults: FaultRegistry;
  readonly workspaces: WorkspaceRegistry;
  readonly generator: IdAndSecretGenerator;
  /**
   * `created_at` of records without schedule time, such as workspaces, API keys and faults: wall time, or a constant in a
   * repeatable run.
   */
  readonly timestamp: () => number;
  /** Initial settings for the clock of a new workspace. */
  readonly newClockSettings: { readonly speed: number; readonly frozen: boolean };
  /** The operations of `/v1`; the control plane uses their schemas too. */
  readonly operations: PublicOperations;
  /** The event types that are valid under a closed catalog. */
  readonly eventTypes: ReadonlySet<string>;
}

/** The arguments of {@link createSandbox}. */
export interface SandboxSetup
  extends Pick<Sandbox, 'environment' | 'rules' | 'store' | 'wall' | 'newClockSettings' | 'eventTypes'> {
  /** Seed of the run; null for unpredictable values. */
  readonly randomSeed: number | null;
  /** Whether API keys are also derived from the seed; false if other machines could use a predictable key. */
  readonly seedsKeys: boolean;
  /** Whether two runs must be identical except for wall time. */
  readonly isRepeatable: boolean;
}

/** The constant {@link Sandbox.timestamp} of a repeatable run. */
const REPEATABLE_START = Date.UTC(2026, 0, 1);

export function createSandbox({ randomSeed, seedsKeys, isRepeatable, ...setup }: SandboxSetup): Sandbox {
  const { store, wall } = setup;
  const generator = new IdAndSecretGenerator(randomSeed, seedsKeys);
  generator.startSeries(`after ${store.lastSeq}`);
  const bus = new EventBus();
  const timestamp = isRepeatable ? () => REPEATABLE_START : wall.now;
  return {
    ...setup,
    generator,
    bus,
    timestamp,
    faults: new FaultRegistry({ store, generator, bus, timestamp }),
    workspaces: new WorkspaceRegistry(store, wall, generator),
    operations: createPublicOperations(setup),
  };
}
