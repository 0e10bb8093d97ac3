/** Replays deliveries at a limited rate. */

import type { DeliveryStatus } from '../domain/delivery.ts';
import { SvcError } from '../domain/errors.ts';
import { mapAtRate } from '../platform/map-at-rate.ts';
import type { Delivery } from '../resources/delivery.ts';
import type { ControlInput } from './control-operations.ts';
import type { ControlPlane } from './control-plane.ts';

/** Replays per second, slow enough for a receiver that has just recovered. */
export const DEFAULT_REPLAY_RATE = 100;

export type ReplayChanges = Omit<ControlInput<'replayDelivery'>, 'id'>;

/** A delivery that cannot be replayed, for example because its endpoint was deleted. */
export interface ReplayRefusal {
  readonly id: string;
  readonly error: SvcError;
}

/** The deliveries before their attempts, and the refusals. */
export interface ReplayOutcomes {
  readonly replays: Delivery[];
  readonly refused: ReplayRefusal[];
}

interface ReplayDeliveriesOptions {
  readonly perSecond: number;
  readonly signal: AbortSignal;
  /** Called as soon as the emulator has responded to one, with the outcomes so far. */
  readonly onOutcome?: (outcomes: ReplayOutcomes) => void;
}

/**
 * Requests a replay of each delivery. A refusal does not stop the others.
 * @throws SvcError `interrupted` once `signal` is aborted, and errors that do not concern a single delivery.
 */
export async function replayDeliveries(
  ids: readonly string[],
  changes: ReplayChanges,
  control: Pick<ControlPlane, 'replayDelivery'>,
  { perSecond, signal, onOutcome }: ReplayDeliveriesOptions,
): Promise<ReplayOutcomes> {
  const outcomes: ReplayOutcomes = { replays: [], refused: [] };
  async function replay(index: number): Promise<void> {
    const id = ids[index] ?? '';
    try {
      outcomes.replays.push(await control.replayDelivery({ id, ...changes }));
    } catch (error) {
      const isRefusal =
        error instanceof SvcError && ['conflict', 'not_found', 'validation_failed'].includes(error.code);
      if (!isRefusal) throw error;
      outcomes.refused.push({ id, error });
    }
    onOutcome?.(outcomes);
  }
  await mapAtRate(replay, { count: ids.length, perSecond, signal });
  return outcomes;
}

/**
 * The deliveries as in lists, without their attempts.
 * @throws SvcError `interrupted`; `not_found` if one of the deliveries does not exist
 */
export function fetchDeliveries(
  ids: readonly string[],
  control: Pick<ControlPlane, 'getDelivery'>,
  signal: AbortSignal,
): Promise<Delivery[]> {
  async function fetchOne(index: number): Promise<Delivery> {
    const { attempts: _, due_times: __, ...delivery } = await control.getDelivery({ id: ids[index] ?? '' });
    return delivery;
  }
  return mapAtRate(fetchOne, { count: ids.length, perSecond: Number.POSITIVE_INFINITY, signal });
}

/** Status that the replay led to: a delivery that succeeded before keeps its own status (gap `replay.failed`). */
export function getReplayStatus({ status, settled_reason: reason }: Delivery): DeliveryStatus {
  return reason === 'replay_failed' ? 'failed' : status;
}
