/** Replaying deliveries, one or thousands, and waiting for what the receivers say. */
import type { Delivery } from '../contract/delivery-schemas.ts';
import type { ControlPlane } from '../control/control-plane.ts';
import { mapAtRate } from '../control/map-at-rate.ts';
import {
  isReplayAttempted,
  type Replay,
  type ReplayChanges,
  type ReplayRefusal,
  replayDeliveries,
} from '../control/replay.ts';
import { trackDeliveries, type WaitTarget } from '../control/wait.ts';
import type { Context } from './context.ts';
import { showDeliveryProgress } from './delivery-wait.ts';
import { renderProgressBar, withProgress } from './progress.ts';

type ProgressContext = Pick<Context, 'io' | 'json' | 'signal'>;

/** Asks for a replay of each. One that is refused does not keep the others from being sent. */
export async function replayWithProgress(
  ids: readonly string[],
  changes: ReplayChanges,
  control: ControlPlane,
  { perSecond, ...context }: ProgressContext & { readonly perSecond: number },
): Promise<{ replays: Replay[]; refused: ReplayRefusal[] }> {
  let done = 0;
  const outcomes = await withProgress(
    context,
    async () => `Replaying ${renderProgressBar(done, ids.length)}`,
    replayDeliveries(ids, changes, control, {
      ...{ perSecond, signal: context.signal },
      onOutcome: () => {
        done++;
      },
    }),
  );
  return {
    replays: outcomes.filter((outcome) => 'delivery' in outcome),
    refused: outcomes.filter((outcome) => 'error' in outcome),
  };
}

/** The replays as they are when each has been answered, or when the time is over. */
export async function waitForReplayAttempts(
  replays: readonly Replay[],
  control: ControlPlane,
  { timeoutMs, ...context }: ProgressContext & { readonly timeoutMs: number },
): Promise<Replay[]> {
  const before = new Map(replays.map(({ delivery, attemptsBefore }) => [delivery.id, attemptsBefore]));
  const toReplay = (delivery: Delivery) => ({ delivery, attemptsBefore: before.get(delivery.id) ?? 0 });
  async function look(): Promise<Delivery[]> {
    const { signal } = context;
    const ids = [...before.keys()];
    const details = await mapAtRate((turn) => control.getDelivery({ id: ids[turn] ?? '' }), {
      ...{ count: ids.length, perSecond: Number.POSITIVE_INFINITY, signal },
    });
    // As the stream tells of them: what is printed does not depend on which was faster.
    return details.map(({ attempts: _, planned_attempts: __, ...delivery }) => delivery);
  }
  const waitTarget: WaitTarget = {
    ...{ filter: {}, list: look },
    classify: (delivery) => (isReplayAttempted(toReplay(delivery)) ? 'done' : 'open'),
  };
  const deliveries = await showDeliveryProgress('Answered', context, (onChange) =>
    trackDeliveries(control, waitTarget, { ...context, timeoutMs, onChange }),
  );
  return deliveries.map(toReplay);
}

export function listUnfinishedReplays(replays: readonly Replay[]): Delivery[] {
  return replays.filter((replay) => !isReplayAttempted(replay)).map(({ delivery }) => delivery);
}
