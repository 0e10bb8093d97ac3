/** The tool `replay`: sends deliveries again. */
import * as v from 'valibot';
import {
  DEFAULT_REPLAY_RATE,
  getReplayStatus,
  isReplayAttempted,
  type Replay,
  type ReplayOutcome,
  type ReplayRefusal,
  replayDeliveries,
  waitForReplays,
} from '../../client/replay.ts';
import type { ControlPlane } from '../../contract/control-plane.ts';
import { idOf } from '../../contract/fields.ts';
import { DeliveryFilter } from '../../contract/list-filters.ts';
import { SECOND_MS } from '../../domain/duration.ts';
import { SvcError } from '../../errors.ts';
import { wholeNumber } from '../../validation/value-schemas.ts';
import { summarizeDelivery } from '../summarize-delivery.ts';
import { defineTool, formatCall, type ToolResult } from '../tool.ts';
import { MAX_WAIT_SECONDS } from '../wait-until-settled.ts';

const { type, webhook_id, since } = DeliveryFilter;

/** Deliveries that one call replays. */
const MAX_REPLAYS = 50;

export const replayTool = defineTool({
  name: 'replay',
  description: 'Send one delivery again, or those that failed, and wait for the responses',
  hints: { destructiveHint: false },
  nextAfterError: formatCall('deliveries', { status: 'failing' }),
  input: v.strictObject({
    id: v.optional(idOf('delivery')),
    failed: v.optional(
      v.pipe(
        v.boolean(),
        v.description(`Instead of id: the newest ${MAX_REPLAYS} that failed or are failing`),
      ),
      false,
    ),
    type,
    webhook_id,
    since: v.pipe(since, v.description('As for deliveries')),
    new_id: v.optional(v.pipe(v.boolean(), v.description('As a new delivery with its own ID'))),
    wait_seconds: v.optional(wholeNumber(0, MAX_WAIT_SECONDS), 10),
  }),
  output: { succeeded: 'number', replays: 'array' },
  async run({ id, failed, new_id: isNew, wait_seconds: seconds, ...filter }, call) {
    const { control } = call.emulator;
    if ((id === undefined) !== failed)
      throw new SvcError('validation_failed', 'Pass either id or "failed": true.');
    const ids = id === undefined ? await findFailed(filter, control) : [id];
    const changes = isNew ? { new_id: true as const } : {};
    const outcomes = await replayDeliveries(ids, changes, control, {
      perSecond: DEFAULT_REPLAY_RATE,
      signal: call.signal,
    });
    const refusals = outcomes.filter(isRefusal);
    if (id !== undefined && refusals[0]) throw refusals[0].error;
    const replays = outcomes.filter((outcome): outcome is Replay => !isRefusal(outcome));
    return toResult(
      seconds === 0
        ? replays
        : (
            await waitForReplays(replays, control, {
              timeoutMs: seconds * SECOND_MS,
              signal: call.signal,
              onChange: ({ waiting, matched }) =>
                call.onProgress(
                  matched,
                  waiting + matched,
                  `${matched} of ${waiting + matched} replays have a result`,
                ),
            })
          ).replays,
      refusals,
    );
  },
});

type FailedFilter = Pick<Parameters<ControlPlane['listDeliveries']>[0], 'type' | 'webhook_id' | 'since'>;

async function findFailed(filter: FailedFilter, control: ControlPlane): Promise<string[]> {
  const pages = await Promise.all(
    (['failing', 'failed'] as const).map((status) =>
      control.listDeliveries({ ...filter, status, limit: MAX_REPLAYS }),
    ),
  );
  const ids = pages.flatMap(({ data }) => data.map(({ id }) => id));
  return ids.sort().reverse().slice(0, MAX_REPLAYS);
}

function isRefusal(outcome: ReplayOutcome): outcome is ReplayRefusal {
  return 'error' in outcome;
}

function toResult(replays: readonly Replay[], refusals: readonly ReplayRefusal[]): ToolResult {
  const failure = replays.find((replay) => toStatus(replay) === 'failed');
  const waiting = replays.find((replay) => toStatus(replay) === 'waiting');
  return {
    succeeded: replays.filter((replay) => toStatus(replay) === 'succeeded').length,
    replays: replays.map((replay) => ({ result: toStatus(replay), ...summarizeDelivery(replay.delivery) })),
    ...(refusals.length > 0 && {
      refused: refusals.map(({ id, error }) => ({ id, message: error.message })),
    }),
    next: failure
      ? formatCall('explain', { id: failure.delivery.id })
      : waiting
        ? formatCall('deliveries', { event_id: waiting.delivery.event_id, wait_seconds: 20 })
        : formatCall('deliveries', { status: 'failing' }),
  };
}

/** The result of the replay itself: a delivery whose replay failed can be pending again. */
function toStatus(replay: Replay): 'succeeded' | 'failed' | 'waiting' {
  if (!isReplayAttempted(replay)) return 'waiting';
  return getReplayStatus(replay.delivery) === 'succeeded' ? 'succeeded' : 'failed';
}
