/** Waits for deliveries as the tools need it: with a cursor to continue. */

import { trackDeliveries, type WaitTarget } from '../client/wait.ts';
import { listAll } from '../contract/control-plane.ts';
import type { Delivery } from '../contract/delivery-schemas.ts';
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

/** Waits until each matching delivery has settled, or none can change in the time. Without a match, waits for the first one. */
export async function waitForDeliveries(
  { filter, seconds, cursor = '' }: WaitRequest,
  { emulator: { control }, signal, onProgress }: ToolCall,
): Promise<Delivery[]> {
  let changes = 0;
  const { deliveries } = await trackDeliveries(
    control,
    {
      filter,
      // IDs sort by time of creation.
      includes: ({ id }) => id > cursor,
      list: async () =>
        (await listAll((page) => control.listDeliveries({ ...page, ...filter }))).filter(
          ({ id }) => id > cursor,
        ),
      isDone: ({ waiting, matched }) => waiting === 0 && matched > 0,
    },
    {
      timeoutMs: seconds * SECOND_MS,
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
