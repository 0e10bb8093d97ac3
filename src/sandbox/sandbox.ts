/** What every operation of the API works with. Made once, at boot. */
import type { PublicOperations } from '../contract/public-api.ts';
import type { Environment } from '../domain/access.ts';
import type { WallClock } from '../domain/clock.ts';
import type { IdSource, RandomFill } from '../domain/ids.ts';
import type { Rules } from '../profile/rules.ts';
import type { Store } from '../store/store.ts';
import type { Bus } from './bus.ts';
import type { LiveWorkspaces } from './live-workspaces.ts';

export interface Sandbox {
  readonly environment: Environment;
  readonly rules: Rules;
  readonly store: Store;
  readonly wall: WallClock;
  readonly bus: Bus;
  readonly workspaces: LiveWorkspaces;
  /** Makes the ids of what has no schedule time: workspaces, keys and requests. */
  readonly ids: IdSource;
  /** Random bytes for secrets and keys. */
  readonly fill: RandomFill;
  /** Uniform in [0, 1): jitter and chance, from the seed of the run where it has one. */
  readonly random: () => number;
  /** How the clock of a new workspace starts. */
  readonly newClock: { readonly speed: number; readonly frozen: boolean };
  /** The operations of `/v1`, whose schemas the control plane shares. */
  readonly operations: PublicOperations;
  /** The event types that exist where the catalogue is closed. */
  readonly catalogue: ReadonlySet<string>;
}
