/** Replaying deliveries, one or thousands, and waiting for what the receivers say. */
import type { Delivery } from '../contract/deliveries.ts';
import type { ControlPlane } from '../control/control-plane.ts';
import { type Awaited, awaitDeliveries } from '../control/settlement.ts';
import { SvcError } from '../errors.ts';
import { runBurst } from './burst.ts';
import type { Context } from './context.ts';
import { renderBar, showWhile } from './progress.ts';
import { showCounts } from './settlement.ts';

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
export interface Refusal {
  readonly id: string;
  readonly error: SvcError;
}

type Surroundings = Pick<Context, 'io' | 'json' | 'signal'>;

/** Asks for a replay of each. One that is refused does not keep the others from being sent. */
export async function replayEach(
  ids: readonly string[],
  changes: ReplayChanges,
  control: ControlPlane,
  { perSecond, ...context }: Surroundings & { readonly perSecond: number },
): Promise<{ replays: Replay[]; refused: Refusal[] }> {
  const refused: Refusal[] = [];
  async function replay(index: number): Promise<Replay | null> {
    const id = ids[index] ?? '';
    try {
      const delivery = await control.replayDelivery({ id, ...changes });
      return { delivery, attemptsBefore: delivery.attempt_count };
    } catch (error) {
      if (!isRefusal(error)) throw error;
      refused.push({ id, error });
      return null;
    }
  }
  const count = ids.length;
  let done = 0;
  const results = await showWhile(
    context,
    async () => `Replaying ${renderBar(done, count)}`,
    runBurst(replay, {
      ...{ count, perSecond, signal: context.signal },
      onDone: (sofar) => {
        done = sofar;
      },
    }),
  );
  return { replays: results.filter((result) => result !== null), refused };
}

function isRefusal(error: unknown): error is SvcError {
  return error instanceof SvcError && ['conflict', 'not_found', 'validation_failed'].includes(error.code);
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
    return runBurst((turn) => control.getDelivery({ id: ids[turn] ?? '' }), {
      ...{ count: ids.length, perSecond: Number.POSITIVE_INFINITY, signal },
    });
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

export function countUnanswered(replays: readonly Replay[]): number {
  return replays.filter((replay) => !isAnswered(replay)).length;
}

/** Whether the attempt that the replay asked for has been made. A delivery on its retry schedule goes on after it. */
function isAnswered({ delivery, attemptsBefore }: Replay): boolean {
  return delivery.status !== 'pending' || delivery.attempt_count > attemptsBefore;
}
