/** The tool `replay`: sends deliveries again. */
import * as v from 'valibot';
import { SECOND_MS } from '../../domain/duration.ts';
import { SvcError } from '../../domain/errors.ts';
import type { ControlPlane } from '../../operations/control-plane.ts';
import {
  DEFAULT_REPLAY_RATE,
  getReplayStatus,
  replayDeliveries,
} from '../../operations/replay-deliveries.ts';
import { type Delivery, DeliveryFilter } from '../../resources/delivery.ts';
import { idOf } from '../../resources/values.ts';
import { summarizeDelivery } from '../summarize-delivery.ts';
import { defineTool, formatCall, waitSeconds } from '../tool.ts';

const { type, webhook_id, since } = DeliveryFilter;

const MAX_REPLAYS = 50;

export const replayTool = defineTool({
  name: 'replay',
  description: 'Send one delivery again, or those that failed, and wait for the responses',
  hints: { destructiveHint: false },
  nextAfterError: formatCall('deliveries', { status: 'failing' }),
  about: {
    failed: `Instead of id: the newest ${MAX_REPLAYS} that failed or are failing`,
    since: 'As for deliveries',
    new_id: 'As a new delivery with its own ID',
  },
  fields: {
    id: v.optional(idOf('delivery')),
    failed: v.optional(v.boolean(), false),
    type,
    webhook_id,
    since,
    new_id: v.optional(v.boolean()),
    wait_seconds: waitSeconds(10),
  },
  async run({ id, failed, new_id, wait_seconds: seconds, ...filter }, { emulator: { control }, signal }) {
    if ((id === undefined) !== failed)
      throw new SvcError('validation_failed', 'Pass either id or "failed": true.');
    const ids = id === undefined ? await findFailed(filter, control) : [id];
    const { replays: sent, refused } = await replayDeliveries(ids, { new_id }, control, {
      perSecond: DEFAULT_REPLAY_RATE,
      signal,
    });
    if (id !== undefined && refused[0]) throw refused[0].error;
    const input = {
      ids: sent.map((delivery) => delivery.id),
      retries: false,
      timeout_ms: seconds * SECOND_MS,
    };
    const { data } =
      seconds === 0 || sent.length === 0 ? { data: sent } : await control.waitForDeliveries(input, signal);
    const attemptsBefore = new Map(sent.map((delivery) => [delivery.id, delivery.attempt_count]));
    const results = data.map((delivery) => ({
      result: toResult(delivery, attemptsBefore.get(delivery.id) ?? 0),
      ...summarizeDelivery(delivery),
    }));
    const find = (result: string) => results.find((each) => each.result === result);
    const failure = find('failed');
    const waiting = find('waiting');
    return {
      succeeded: results.filter(({ result }) => result === 'succeeded').length,
      replays: results,
      refused: refused.map(({ id, error }) => ({ id, message: error.message })),
      next: failure
        ? formatCall('explain', { id: failure.id })
        : waiting
          ? formatCall('deliveries', { event_id: waiting.event_id, wait_seconds: 20 })
          : formatCall('deliveries', { status: 'failing' }),
    };
  },
});

type FailedFilter = Pick<Parameters<ControlPlane['listDeliveries']>[0], 'type' | 'webhook_id' | 'since'>;

async function findFailed(filter: FailedFilter, control: ControlPlane): Promise<string[]> {
  const { data } = await control.listDeliveries({ ...filter, status: 'unsuccessful', limit: MAX_REPLAYS });
  return data.map(({ id }) => id);
}

/** The result of the replay itself: a delivery whose replay failed can be pending again. */
function toResult(delivery: Delivery, attemptsBefore: number): 'succeeded' | 'failed' | 'waiting' {
  if (delivery.status === 'pending' && delivery.attempt_count === attemptsBefore) return 'waiting';
  return getReplayStatus(delivery) === 'succeeded' ? 'succeeded' : 'failed';
}
