/** Waits for deliveries in the call of a tool. */
import { type WaitCondition, waitForDeliveries } from '../client/wait.ts';
import type { Delivery } from '../contract/delivery-schemas.ts';
import { SECOND_MS } from '../domain/duration.ts';
import type { ToolCall } from './tool.ts';

/** Clients give up on a call after about a minute. */
export const MAX_WAIT_SECONDS = 60;

/**
 * Waits until each matching delivery has settled, or none can change in the time. Without a match, waits for the first one.
 * @returns the deliveries, newest first
 */
export async function waitUntilSettled(
  condition: Pick<WaitCondition, 'filter' | 'deliveryId'>,
  seconds: number,
  { emulator: { control }, signal, onProgress }: ToolCall,
): Promise<readonly Delivery[]> {
  let changes = 0;
  const { deliveries } = await waitForDeliveries(control, condition, {
    timeoutMs: seconds * SECOND_MS,
    signal,
    onChange: ({ waiting, matched }) =>
      onProgress(++changes, undefined, `${matched} of ${waiting + matched} deliveries are done`),
  });
  return deliveries;
}
