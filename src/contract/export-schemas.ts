/** The input of the export of deliveries, and a line of the NDJSON that it writes. */
import * as v from 'valibot';
import { DeliveryDetail } from './delivery-schemas.ts';
import { described, idOf, resource } from './fields.ts';
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
  format: described('Format of the file.', v.picklist(exportFormatNames), 'ndjson'),
  delivery_id: described('Only this delivery. Not allowed with a filter.', v.optional(idOf('delivery'))),
  ...DeliveryFilter,
});
export type ExportInput = v.InferInput<typeof ExportInput>;

export const ExportedDelivery = resource('A delivery with its attempts, without secrets.', {
  ...DeliveryDetail.entries,
  body: described('Body that the next attempt sends.', v.string(), '{"type":"order.shipped"}'),
});
export type ExportedDelivery = v.InferOutput<typeof ExportedDelivery>;
