/** Waits for deliveries in a test. */

import { MOVE_CLOCK } from '../diagnosis/describe-wait.ts';
import type { SettledStatus } from '../domain/delivery.ts';
import { type Hint, SvcError } from '../domain/errors.ts';
import type { ControlInput } from '../operations/control-operations.ts';
import type { waitFilter } from '../operations/wait-schemas.ts';
import type { Delivery } from '../resources/delivery.ts';
import { DEFAULT_TIMEOUT_MS, type Duration } from './duration.ts';
import type { WorkspaceSetup } from './workspace-setup.ts';

export interface WaitOptions {
  /** Status that the deliveries must reach (default: any except `pending`). */
  readonly status?: SettledStatus;
  /** Number of deliveries to wait for (default: all that match, at least one). */
  readonly count?: number;
  /** Real time to wait (default: 4 seconds). */
  readonly timeout?: Duration;
  /**
   * Whether to wait until the timeout although no delivery can settle before it (default: only with a `count`). For a wait that starts
   * long before the test moves the clock or enables the endpoint.
   */
  readonly keepWaiting?: boolean;
}

type WaitFilter = Pick<ControlInput<'waitForDeliveries'>, Exclude<keyof typeof waitFilter, 'workspace_id'>>;

/**
 * Waits until matching deliveries have settled. Existing deliveries count.
 * @returns the settled deliveries, newest first, at most 1,000
 * @throws SvcError with a message that says what happened instead: `unexpected_status` as soon as a matching delivery settles with
 *   another status; `stalled` when none has been able to settle in time for a second, unless there is a `count`; `timeout`;
 *   `interrupted` when the emulator is closed
 */
export type DeliveryWait = (filter?: WaitFilter, options?: WaitOptions) => Promise<readonly Delivery[]>;

export function createDeliveryWait({ control, workspaceId: workspace_id }: WorkspaceSetup): DeliveryWait {
  return async (filter, { timeout = DEFAULT_TIMEOUT_MS, keepWaiting: keep_waiting, ...condition } = {}) => {
    const input = { ...filter, ...condition, workspace_id, timeout_ms: timeout, keep_waiting };
    const { reason, message, details, hint, data } = await control.waitForDeliveries(input);
    if (reason === 'settled') return data.filter(({ status }) => status !== 'pending');
    // Omit this hint: it only says how to see what the details already contain.
    const next = hint === null || reason === 'unexpected_status' ? [] : [toLibraryHint(hint)];
    const lines = [...details, ...next];
    throw new SvcError(reason, [message, ...lines.map((line) => `  ${line}`)].join('\n'));
  };
}

/** Without the command, which cannot find the emulator of a test. */
function toLibraryHint({ text }: Hint): string {
  return text.startsWith(MOVE_CLOCK) ? `${MOVE_CLOCK} with clock.next().` : `${text}.`;
}
