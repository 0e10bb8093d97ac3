/** What the replay dialog stands open for. Views open it; the frame of the page shows it. */
import { signal } from '@preact/signals';
import type { ControlInput } from '../../../contract/control-operations.ts';
import type { Delivery } from '../../../contract/delivery-schemas.ts';

/** What the list of deliveries is narrowed to. */
export type DeliverySelection = Omit<ControlInput<'listDeliveries'>, 'limit' | 'starting_after'>;

type ReplayRequest = { readonly delivery: Delivery } | { readonly filter: DeliverySelection };

/** Null while nothing is asked. */
export const replayRequest = signal<ReplayRequest | null>(null);

/** Asks how to send this delivery again. */
export function openReplayDialog(delivery: Delivery): void {
  replayRequest.value = { delivery };
}

/** Asks whether to send every delivery again that the filter selects. */
export function openBulkReplayDialog(filter: DeliverySelection): void {
  replayRequest.value = { filter };
}
