/** Replaying deliveries, one or thousands, at a bounded rate. */
import type { Delivery } from '../contract/delivery-schemas.ts';
import type { DeliveryStatus } from '../domain/delivery.ts';
import { SvcError } from '../errors.ts';
import type { ControlPlane } from './control-plane.ts';
import { mapAtRate } from './map-at-rate.ts';
import { trackDeliveries, type WaitOptions } from './wait.ts';

/** Of many, so many a second: fast enough for a person, and slow enough for a receiver that has just come back. */
export const DEFAULT_REPLAY_RATE = 100;

/** What is to differ; in JSON, as the control plane takes it. */
export interface ReplayChanges {
  readonly new_id?: true;
  readonly url?: string;
  /** JSON text. */
  readonly body?: string;
}

export interface Replay {
  /** As it was last seen. */
  readonly delivery: Delivery;
  /** Its attempts before the one that was asked for. */
  readonly attemptsBefore: number;
}

/** A delivery that cannot be replayed, its endpoint being gone for example. */
export interface ReplayRefusal {
  readonly id: string;
  readonly error: SvcError;
}

export type ReplayOutcome = Replay | ReplayRefusal;

export interface ReplayOptions {
  readonly perSecond: number;
  readonly signal: AbortSignal;
  /** Told of each as soon as the emulator has answered. */
  readonly onOutcome?: (outcome: ReplayOutcome) => void;
}

/**
 * Asks for a replay of each. One that is refused does not keep the others from being sent.
 * @returns what came of each, in their order.
 * @throws SvcError `interrupted` once `signal` is aborted, and whatever concerns not one delivery but the emulator.
 */
export async function replayDeliveries(
  ids: readonly string[],
  changes: ReplayChanges,
  control: Pick<ControlPlane, 'replayDelivery'>,
  { perSecond, signal, onOutcome }: ReplayOptions,
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

/**
 * Waits until the attempt of each replay was made, until all open deliveries are paused, or until the time is over.
 * @returns the replays with their latest deliveries
 * @throws SvcError `interrupted`
 */
export async function waitForReplays(
  replays: readonly Replay[],
  control: Pick<ControlPlane, 'stream' | 'getDelivery'>,
  options: WaitOptions,
): Promise<Replay[]> {
  const attemptsBefore = new Map(replays.map((replay) => [replay.delivery.id, replay.attemptsBefore]));
  const ids = [...attemptsBefore.keys()];
  const toReplay = (delivery: Delivery): Replay => ({
    delivery,
    attemptsBefore: attemptsBefore.get(delivery.id) ?? 0,
  });
  async function list(): Promise<Delivery[]> {
    const details = await mapAtRate((index) => control.getDelivery({ id: ids[index] ?? '' }), {
      count: ids.length,
      perSecond: Number.POSITIVE_INFINITY,
      signal: options.signal,
    });
    // The form of the stream, so that the output does not depend on which of the two came first.
    return details.map(({ attempts: _, planned_attempts: __, ...delivery }) => delivery);
  }
  const deliveries = await trackDeliveries(
    control,
    { filter: {}, list, classify: (delivery) => (isReplayAttempted(toReplay(delivery)) ? 'done' : 'open') },
    options,
  );
  return deliveries.map(toReplay);
}

/** Whether the attempt that the replay asked for has been made. A delivery on its retry schedule goes on after it. */
export function isReplayAttempted({ delivery, attemptsBefore }: Replay): boolean {
  return delivery.status !== 'pending' || delivery.attempt_count > attemptsBefore;
}

/** The status that the replay led to: that of a delivery which had succeeded before does not change (decision `replay.failed`). */
export function getReplayStatus({ status, settled_reason: reason }: Delivery): DeliveryStatus {
  return reason === 'replay_failed' ? 'failed' : status;
}

function isRefusal(error: unknown): error is SvcError {
  return error instanceof SvcError && ['conflict', 'not_found', 'validation_failed'].includes(error.code);
}
