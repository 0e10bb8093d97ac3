/** Waits for deliveries as the tools need it: not longer than something can still happen, and with a cursor to continue. */
import type { Delivery } from '../contract/delivery-schemas.ts';
import { listAll } from '../control/control-plane.ts';
import { trackDeliveries, type WaitCounts, type WaitTarget } from '../control/wait.ts';
import { SECOND_MS } from '../domain/duration.ts';
import { findNextCall, summarizeDeliveries } from './summarize-delivery.ts';
import type { ToolCall, ToolResult } from './tool.ts';

/** Clients give up on a call after about a minute. */
export const MAX_WAIT_SECONDS = 60;

interface WaitRequest {
  readonly filter: WaitTarget['filter'];
  readonly seconds: number;
  /** Only deliveries after this one. */
  readonly cursor?: string | undefined;
}

/**
 * Waits until each matching delivery has settled, or its next attempt is due after the end of the wait: nothing would happen
 * to it. Without a match, waits for the first one.
 */
export async function waitForDeliveries(
  { filter, seconds, cursor = '' }: WaitRequest,
  { emulator: { control }, signal, onProgress }: ToolCall,
): Promise<Delivery[]> {
  const { workspace_id } = filter;
  const { now, rate } = await control.getClock(workspace_id === undefined ? {} : { workspace_id });
  const timeoutMs = seconds * SECOND_MS;
  // An attempt that is due now is about to be sent, also while the clock is frozen.
  const lastDueAt = Date.parse(now) + timeoutMs * rate;
  const isWaiting = ({ status, paused, next_attempt_at: next }: Delivery) =>
    status === 'pending' && !paused && (next === null || Date.parse(next) <= lastDueAt);
  let changes = 0;
  const deliveries = await trackDeliveries(
    control,
    {
      filter,
      // IDs sort by time of creation.
      includes: ({ id }) => id > cursor,
      list: async () =>
        (await listAll((page) => control.listDeliveries({ ...page, ...filter }))).filter(
          ({ id }) => id > cursor,
        ),
      classify: (delivery) => (isWaiting(delivery) ? 'waiting' : 'matched'),
      canStop: ({ waiting, matched }: WaitCounts) => waiting === 0 && matched > 0,
    },
    {
      timeoutMs,
      signal,
      onChange: ({ waiting, matched }) =>
        onProgress(++changes, undefined, `${matched} of ${waiting + matched} deliveries are done`),
    },
  );
  return deliveries.sort((a, b) => (a.id < b.id ? 1 : -1));
}

/** @param request the wait that had this result */
export function toWaitResult(deliveries: readonly Delivery[], request: WaitRequest): ToolResult {
  const oldestPending = deliveries.findLastIndex(({ status }) => status === 'pending');
  // Before the oldest delivery that is pending, so that a wait that continues there includes it.
  const cursor = deliveries[oldestPending + 1]?.id ?? request.cursor;
  const settled = deliveries.length > 0 && oldestPending === -1;
  return {
    settled,
    count: deliveries.length,
    deliveries: summarizeDeliveries(deliveries),
    ...(cursor !== undefined && { cursor }),
    next: findNextCall(deliveries),
  };
}
