/** The input of the export of deliveries, and a line of the NDJSON that it writes. */
import * as v from 'valibot';
import { DeliveryDetail, DeliveryFilter } from '../resources/delivery.ts';
import { described, idOf, resource } from '../resources/values.ts';

export const EXPORT_TYPE = 'application/x-ndjson';

/** Either one delivery, or those that a filter selects. */
export const ExportInput = v.strictObject({
  delivery_id: described('Only this delivery. Not allowed with a filter.', v.optional(idOf('delivery'))),
  ...DeliveryFilter,
});
export type ExportInput = v.InferInput<typeof ExportInput>;

export const ExportedDelivery = resource('A delivery with its attempts, without secrets.', {
  ...DeliveryDetail.entries,
  body: described('Body that the next attempt sends.', v.string()),
});
export type ExportedDelivery = v.InferOutput<typeof ExportedDelivery>;
