/** What every operation of the API works with. Made once, at boot. */
import { createPublicOperations, type PublicOperations } from '../contract/public-api.ts';
import type { Environment } from '../domain/access.ts';
import type { WallClock } from '../domain/clock.ts';
import type { Rules } from '../profile/rules.ts';
import type { Store } from '../store/store.ts';
import { Bus } from './bus.ts';
import { Faults } from './faults.ts';
import { LiveWorkspaces } from './live-workspaces.ts';
import { Mint } from './mint.ts';

export interface Sandbox {
  readonly environment: Environment;
  readonly rules: Rules;
  readonly store: Store;
  readonly wall: WallClock;
  readonly bus: Bus;
  readonly faults: Faults;
  readonly workspaces: LiveWorkspaces;
  readonly mint: Mint;
  /**
   * The time of what has no schedule time, workspaces and keys: that of the wall. In a run that is to be repeatable it
   * stands still.
   */
  readonly stamp: () => number;
  /** How the clock of a new workspace starts. */
  readonly newClock: { readonly speed: number; readonly frozen: boolean };
  /** The operations of `/v1`, whose schemas the control plane shares. */
  readonly operations: PublicOperations;
  /** The event types that exist where the catalogue is closed. */
  readonly catalogue: ReadonlySet<string>;
}

/** What differs from one sandbox to another. */
export interface SandboxSetup
  extends Pick<Sandbox, 'environment' | 'rules' | 'store' | 'wall' | 'newClock' | 'catalogue'> {
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
  const mint = new Mint(randomSeed, seedsKeys);
  mint.restart(`after ${store.lastSeq}`);
  const bus = new Bus();
  const stamp = isRepeatable ? () => REPEATABLE_START : wall.now;
  return {
    ...{ ...setup, mint, bus, stamp },
    faults: new Faults({ store, mint, bus, stamp }),
    workspaces: new LiveWorkspaces(store, wall, mint),
    operations: createPublicOperations(setup),
  };
}
