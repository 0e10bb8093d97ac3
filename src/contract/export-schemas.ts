/** The input of the export of deliveries, and a line of the NDJSON that it writes. */
import * as v from 'valibot';
import { DeliveryDetail } from './delivery-schemas.ts';
import { idOf } from './fields.ts';
import { DeliveryFilter } from './list-filters.ts';

/** By name, with the type of the content. The name is also the extension of the file. */
export const exportFormats = {
  har: 'application/json',
  ndjson: 'application/x-ndjson',
} as const;
export type ExportFormat = keyof typeof exportFormats;
export const exportFormatNames = Object.keys(exportFormats) as [ExportFormat, ...ExportFormat[]];

/** Either one delivery, or those that a filter selects. */
export const ExportInput = v.strictObject({
  format: v.picklist(exportFormatNames),
  delivery_id: v.optional(idOf('delivery')),
  ...DeliveryFilter,
});
export type ExportInput = v.InferInput<typeof ExportInput>;

/** A delivery without secrets. `body` is what the next attempt sends, so that it is known before the first one. */
export const ExportedDelivery = v.object({ ...DeliveryDetail.entries, body: v.string() });
export type ExportedDelivery = v.InferOutput<typeof ExportedDelivery>;
