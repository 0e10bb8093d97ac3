/** Replaying deliveries, one or thousands, and waiting for what the receivers say. */
import type { Delivery } from '../contract/deliveries.ts';
import { runBurst } from '../control/burst.ts';
import type { ControlPlane } from '../control/control-plane.ts';
import {
  isAnswered,
  type Refusal,
  type Replay,
  type ReplayChanges,
  replayEach,
} from '../control/replaying.ts';
import { type Awaited, awaitDeliveries } from '../control/settlement.ts';
import type { Context } from './context.ts';
import { renderBar, showWhile } from './progress.ts';
import { showCounts } from './settlement.ts';

type Surroundings = Pick<Context, 'io' | 'json' | 'signal'>;

/** Asks for a replay of each. One that is refused does not keep the others from being sent. */
export async function replayAll(
  ids: readonly string[],
  changes: ReplayChanges,
  control: ControlPlane,
  { perSecond, ...context }: Surroundings & { readonly perSecond: number },
): Promise<{ replays: Replay[]; refused: Refusal[] }> {
  let done = 0;
  const outcomes = await showWhile(
    context,
    async () => `Replaying ${renderBar(done, ids.length)}`,
    replayEach(ids, changes, control, {
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
export async function waitForAnswers(
  replays: readonly Replay[],
  control: ControlPlane,
  { timeoutMs, ...context }: Surroundings & { readonly timeoutMs: number },
): Promise<Replay[]> {
  const before = new Map(replays.map(({ delivery, attemptsBefore }) => [delivery.id, attemptsBefore]));
  const toReplay = (delivery: Delivery) => ({ delivery, attemptsBefore: before.get(delivery.id) ?? 0 });
  async function look(): Promise<Delivery[]> {
    const { signal } = context;
    const ids = [...before.keys()];
    const details = await runBurst((turn) => control.getDelivery({ id: ids[turn] ?? '' }), {
      ...{ count: ids.length, perSecond: Number.POSITIVE_INFINITY, signal },
    });
    // As the stream tells of them: what is printed does not depend on which was faster.
    return details.map(({ attempts: _, planned_attempts: __, ...delivery }) => delivery);
  }
  const awaited: Awaited = {
    ...{ filter: {}, look },
    judge: (delivery) => (isAnswered(toReplay(delivery)) ? 'done' : 'open'),
  };
  const deliveries = await showCounts('Answered', context, (onChange) =>
    awaitDeliveries(control, awaited, { ...context, timeoutMs, onChange }),
  );
  return deliveries.map(toReplay);
}

export function listUnanswered(replays: readonly Replay[]): Delivery[] {
  return replays.filter((replay) => !isAnswered(replay)).map(({ delivery }) => delivery);
}
