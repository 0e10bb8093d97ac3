/** Replays deliveries at a limited rate, and waits for the attempts. */

import type { ControlPlane } from '../contract/control-plane.ts';
import type { Delivery } from '../contract/delivery-schemas.ts';
import type { DeliveryStatus } from '../domain/delivery.ts';
import { SvcError } from '../errors.ts';
import { mapAtRate } from './map-at-rate.ts';
import { fetchDelivery, type TrackResult, trackDeliveries, type WaitOptions } from './wait.ts';

/** Replays per second, slow enough for a receiver that has just recovered. */
export const DEFAULT_REPLAY_RATE = 100;

/** Differences from the original delivery, as fields of `replayDelivery`. Each of them creates a new delivery. */
export interface ReplayChanges {
  readonly new_id?: true;
  readonly url?: string;
  /** JSON text. */
  readonly body?: string;
}

export interface Replay {
  /** As it was last seen. */
  readonly delivery: Delivery;
  /** Number of attempts before the replay. */
  readonly attemptsBefore: number;
}

/** A delivery that cannot be replayed, for example because its endpoint was deleted. */
export interface ReplayRefusal {
  readonly id: string;
  readonly error: SvcError;
}

export type ReplayOutcome = Replay | ReplayRefusal;

interface ReplayDeliveriesOptions {
  readonly perSecond: number;
  readonly signal: AbortSignal;
  /** Called with each outcome as soon as the emulator has responded. */
  readonly onOutcome?: (outcome: ReplayOutcome) => void;
}

/**
 * Requests a replay of each delivery. A refusal does not stop the others.
 * @returns the outcomes in the order of `ids`.
 * @throws SvcError `interrupted` once `signal` is aborted, and errors that do not concern a single delivery.
 */
export async function replayDeliveries(
  ids: readonly string[],
  changes: ReplayChanges,
  control: Pick<ControlPlane, 'replayDelivery'>,
  { perSecond, signal, onOutcome }: ReplayDeliveriesOptions,
): Promise<ReplayOutcome[]> {
  async function replay(index: number): Promise<ReplayOutcome> {
    const outcome = await replayOne(ids[index] ?? '', changes, control);
    onOutcome?.(outcome);
    return outcome;
  }
  return mapAtRate(replay, { count: ids.length, perSecond, signal });
}

async function replayOne(
  id: string,
  changes: ReplayChanges,
  control: Pick<ControlPlane, 'replayDelivery'>,
): Promise<ReplayOutcome> {
  try {
    const delivery = await control.replayDelivery({ id, ...changes });
    return { delivery, attemptsBefore: delivery.attempt_count };
  } catch (error) {
    if (isRefusal(error)) return { id, error };
    throw error;
  }
}

function isRefusal(error: unknown): error is SvcError {
  return error instanceof SvcError && ['conflict', 'not_found', 'validation_failed'].includes(error.code);
}

/**
 * Waits until the attempt of each replay has a result, or as long as {@link trackDeliveries}.
 * @returns the replays with their deliveries as they were last seen.
 * @throws SvcError `interrupted`
 */
export async function waitForReplays(
  replays: readonly Replay[],
  control: Pick<ControlPlane, 'stream' | 'getClock' | 'getDelivery'>,
  options: WaitOptions,
): Promise<Pick<TrackResult, 'isStalled'> & { readonly replays: readonly Replay[] }> {
  const attemptCounts = new Map(replays.map(({ delivery, attemptsBefore }) => [delivery.id, attemptsBefore]));
  const toReplay = (delivery: Delivery) => ({
    delivery,
    attemptsBefore: attemptCounts.get(delivery.id) ?? 0,
  });
  const ids = [...attemptCounts.keys()];
  const list = () => fetchDeliveries(ids, control, options.signal);
  const { deliveries, isStalled } = await trackDeliveries(
    control,
    {
      filter: {},
      list,
      classify: (delivery) => (isReplayAttempted(toReplay(delivery)) ? 'matched' : 'waiting'),
    },
    options,
  );
  return { replays: deliveries.map(toReplay), isStalled };
}

/** @throws SvcError `interrupted`; `not_found` if one of the deliveries does not exist */
export function fetchDeliveries(
  ids: readonly string[],
  control: Pick<ControlPlane, 'getDelivery'>,
  signal: AbortSignal,
): Promise<Delivery[]> {
  return mapAtRate((index) => fetchDelivery(control, ids[index] ?? ''), {
    count: ids.length,
    perSecond: Number.POSITIVE_INFINITY,
    signal,
  });
}

/** Whether the attempt of the replay has a result. A delivery on its retry schedule stays pending after it. */
export function isReplayAttempted({ delivery, attemptsBefore }: Replay): boolean {
  return delivery.status !== 'pending' || delivery.attempt_count > attemptsBefore;
}

/** Status that the replay led to: a delivery that succeeded before keeps its own status (gap `replay.failed`). */
export function getReplayStatus({ status, settled_reason: reason }: Delivery): DeliveryStatus {
  return reason === 'replay_failed' ? 'failed' : status;
}
