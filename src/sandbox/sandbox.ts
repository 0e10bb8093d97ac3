/** What every operation of the API works with. Made once, at boot. */
import { createPublicOperations, type PublicOperations } from '../contract/public-operations.ts';
import type { WallClock } from '../domain/clock.ts';
import type { Environment } from '../domain/environment.ts';
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
   * The time of what has no schedule time, workspaces and keys: that of the wall. In a run that is to be repeatable it
   * stands still.
   */
  readonly timestamp: () => number;
  /** How the clock of a new workspace starts. */
  readonly newClockSettings: { readonly speed: number; readonly frozen: boolean };
  /** The operations of `/v1`, whose schemas the control plane shares. */
  readonly operations: PublicOperations;
  /** The event types that exist where the catalogue is closed. */
  readonly catalogue: ReadonlySet<string>;
}

/** What differs from one sandbox to another. */
export interface SandboxSetup
  extends Pick<Sandbox, 'environment' | 'rules' | 'store' | 'wall' | 'newClockSettings' | 'catalogue'> {
  /** Of the run; null for what cannot be foretold. */
  readonly randomSeed: number | null;
  /** Whether API keys come from that seed too: false where other machines could use a key that they can predict. */
  readonly seedsKeys: boolean;
  /** Whether two runs are to differ in nothing but what the wall clock shows. */
  readonly isRepeatable: boolean;
}

/** Where the time of a repeatable run stands. */
const REPEATABLE_START = Date.UTC(2026, 0, 1);

export function createSandbox({ randomSeed, seedsKeys, isRepeatable, ...setup }: SandboxSetup): Sandbox {
  const { store, wall } = setup;
  const generator = new IdAndSecretGenerator(randomSeed, seedsKeys);
  generator.startSeries(`after ${store.lastSeq}`);
  const bus = new EventBus();
  const stamp = isRepeatable ? () => REPEATABLE_START : wall.now;
  return {
    ...{ ...setup, generator, bus, timestamp: stamp },
    faults: new FaultRegistry({ store, generator, bus, stamp }),
    workspaces: new WorkspaceRegistry(store, wall, generator),
    operations: createPublicOperations(setup),
  };
}
