/** What the replay dialog stands open for. Views open it; the frame of the page shows it. */
import { signal } from '@preact/signals';
import type { ControlInput } from '../../../contract/control-api.ts';
import type { Delivery } from '../../../contract/deliveries.ts';

/** What the list of deliveries is narrowed to. */
export type DeliveryFilter = Omit<ControlInput<'listDeliveries'>, 'limit' | 'starting_after'>;

type ReplayQuestion = { readonly delivery: Delivery } | { readonly filter: DeliveryFilter };

/** Null while nothing is asked. */
export const question = signal<ReplayQuestion | null>(null);

/** Asks how to send this delivery again. */
export function openReplay(delivery: Delivery): void {
  question.value = { delivery };
}

/** Asks whether to send every delivery again that the filter selects. */
export function openReplayOfMany(filter: DeliveryFilter): void {
  question.value = { filter };
}
