import type { Delivery } from '../contract/deliveries.ts';
import { type DeliveryWish, type SettledStatus, waitForWish } from '../control/delivery-wish.ts';
import { SvcError } from '../errors.ts';
import { type Duration, toMs } from './duration.ts';
import { PATIENCE_MS } from './patience.ts';
import { explainWait } from './wait-account.ts';
import type { WorkspaceSetup } from './workspace.ts';

export interface WaitOptions {
  /** The state that they are to come to; any but pending when left out. */
  readonly status?: SettledStatus;
  /** How many; when left out all that match, and at least one. */
  readonly count?: number;
  /** In real time; 4 seconds when left out. */
  readonly timeout?: Duration;
}

/**
 * Waits for deliveries that match, those that are there and those to come. @returns those that came to it, newest first.
 * @throws SvcError with an account of what happened instead: `settled_otherwise` as soon as one that matches has settled
 *   in another state, `timeout` (at once when all that are left are paused, without `count`), or `interrupted` when the
 *   emulator is closed.
 */
export type DeliveryWait = (
  filter?: Omit<DeliveryWish['filter'], 'workspace_id'>,
  options?: WaitOptions,
) => Promise<readonly Delivery[]>;

export function createDeliveryWait(setup: WorkspaceSetup): DeliveryWait {
  const { control, workspaceId, closing } = setup;
  return async (filter, { status, count, timeout = PATIENCE_MS } = {}) => {
    const wish = { filter: { ...filter, workspace_id: workspaceId }, status, count };
    const timeoutMs = toMs(timeout);
    const outcome = await waitForWish(control, wish, { timeoutMs, signal: closing });
    if (outcome.isGranted) return outcome.done;
    const { account, hint } = await explainWait(setup, wish, outcome, timeoutMs);
    throw new SvcError(outcome.wrong.length > 0 ? 'settled_otherwise' : 'timeout', account, hint);
  };
}
