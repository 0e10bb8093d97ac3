/** What every operation of the API works with. Made once, at boot. */
import type { PublicOperations } from '../contract/public-api.ts';
import type { Environment } from '../domain/access.ts';
import type { WallClock } from '../domain/clock.ts';
import type { Rules } from '../profile/rules.ts';
import type { Store } from '../store/store.ts';
import type { Bus } from './bus.ts';
import type { Faults } from './faults.ts';
import type { LiveWorkspaces } from './live-workspaces.ts';
import type { Mint } from './mint.ts';

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
