/** What the replay dialog is open for. Views set it; the layout renders the dialog. */
import { signal } from '@preact/signals';
import type { ControlInput } from '../../../contract/control-operations.ts';
import type { Delivery } from '../../../contract/delivery-schemas.ts';

/** The filter of the delivery list. */
export type DeliverySelection = Omit<ControlInput<'listDeliveries'>, 'limit' | 'starting_after'>;

type ReplayRequest = { readonly delivery: Delivery } | { readonly filter: DeliverySelection };

/** Null while the dialog is closed. */
export const replayRequest = signal<ReplayRequest | null>(null);

export function openReplayDialog(delivery: Delivery): void {
  replayRequest.value = { delivery };
}

export function openBulkReplayDialog(filter: DeliverySelection): void {
  replayRequest.value = { filter };
}
