import type { Delivery } from '../contract/delivery-schemas.ts';
import { type SettledStatus, type WaitCondition, waitForDeliveries } from '../control/wait.ts';
import { SvcError } from '../errors.ts';
import { DEFAULT_TIMEOUT_MS } from './default-timeout.ts';
import { type Duration, toMs } from './duration-argument.ts';
import { createWaitReport } from './wait-report.ts';
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
  filter?: Omit<WaitCondition['filter'], 'workspace_id'>,
  options?: WaitOptions,
) => Promise<readonly Delivery[]>;

export function createDeliveryWait(setup: WorkspaceSetup): DeliveryWait {
  const { control, workspaceId, closing } = setup;
  return async (filter, { status, count, timeout = DEFAULT_TIMEOUT_MS } = {}) => {
    const wish = { filter: { ...filter, workspace_id: workspaceId }, status, count };
    const timeoutMs = toMs(timeout);
    const outcome = await waitForDeliveries(control, wish, { timeoutMs, signal: closing });
    if (outcome.isMet) return outcome.done;
    const { message, hint } = await createWaitReport(setup, wish, outcome, timeoutMs);
    throw new SvcError(outcome.wrong.length > 0 ? 'settled_otherwise' : 'timeout', message, hint);
  };
}
