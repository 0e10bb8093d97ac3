/** The shared state and services that every operation uses, and the events that they publish inside the process. */

import type { WallClock } from '../../domain/clock.ts';
import type { Environment } from '../../domain/credentials.ts';
import { createPublicOperations, type PublicOperations } from '../../operations/public-operations.ts';
import type { Rules } from '../../profile/rules.ts';
import type { Store } from '../../store/store.ts';
import { FaultRegistry } from './faults.ts';
import { IdAndSecretGenerator } from './id-and-secret-generator.ts';
import { type LoadedWorkspace, WorkspaceRegistry } from './workspace-registry.ts';

export type SandboxEvent =
  /** A new event has this delivery. */
  | {
      readonly type: 'delivery_due';
      readonly seq: number;
      readonly webhookSeq: number;
      readonly workspace: LoadedWorkspace;
    }
  /** Other deliveries may be due, or due at another time: an endpoint or a clock has changed, or a delivery is sent again. */
  | { readonly type: 'schedule_changed' }
  /** All rows were replaced: state that was read before is invalid. */
  | { readonly type: 'state_replaced' };

type SandboxEventListener = (event: SandboxEvent) => void;

class EventBus {
  readonly #listeners = new Set<SandboxEventListener>();

  subscribe(listener: SandboxEventListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  publish(event: SandboxEvent): void {
    for (const listener of this.#listeners) listener(event);
  }
}

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
   * `created_at` of records without schedule time, such as API keys and faults, and the time at which the clock of a new workspace
   * starts: wall time, or a constant.
   */
  readonly timestamp: () => number;
  /** The operations of `/v1`; the control plane uses their schemas too. */
  readonly operations: PublicOperations;
  /** The event types that are valid under a closed catalog; not read under an open one. */
  readonly eventTypes: ReadonlySet<string>;
}

interface SandboxSetup extends Pick<Sandbox, 'environment' | 'rules' | 'store' | 'wall' | 'eventTypes'> {
  /** Initial settings for the clock of a new workspace. */
  readonly newClockSettings: { readonly speed: number; readonly frozen: boolean };
  /** Seed of the run; null for unpredictable values. */
  readonly randomSeed: number | null;
  /** Whether API keys are also derived from the seed; false if other machines could use a predictable key. */
  readonly seedsKeys: boolean;
  /** Whether {@link Sandbox.timestamp} is a constant, so that two runs with one seed are identical except for wall time. */
  readonly hasConstantTimestamp: boolean;
}

const CONSTANT_TIMESTAMP = Date.UTC(2026, 0, 1);

export function createSandbox({
  randomSeed,
  seedsKeys,
  hasConstantTimestamp,
  newClockSettings,
  ...setup
}: SandboxSetup): Sandbox {
  const { store, wall } = setup;
  const generator = new IdAndSecretGenerator(randomSeed, seedsKeys);
  generator.startSeries(`after ${store.lastSeq}`);
  const bus = new EventBus();
  const timestamp = hasConstantTimestamp ? () => CONSTANT_TIMESTAMP : wall.now;
  const faults = new FaultRegistry({ store, generator, timestamp });
  bus.subscribe(({ type }) => type === 'state_replaced' && faults.reload());
  return {
    ...setup,
    generator,
    bus,
    timestamp,
    faults,
    workspaces: new WorkspaceRegistry({ store, wall, generator, timestamp, newClockSettings }),
    operations: createPublicOperations(setup),
  };
}
