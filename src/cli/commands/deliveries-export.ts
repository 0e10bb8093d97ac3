/** `svc deliveries export`: writes deliveries to standard output, without secrets. */
import { deliveryFilters } from '../../resources/delivery.ts';
import { deliveryChoices } from '../choices/resource-choices.ts';
import { defineCommand } from '../define-command.ts';

const DETAILS = `
The output is NDJSON: one delivery with its attempts per line, oldest first. API keys, endpoint secrets, cookies, passwords and tokens are
replaced by [removed]. Signatures are included, because they reveal nothing without the secret.

svc events import and svc gaps check read it.`;

export const command = defineCommand({
  options: {
    id: {
      argument: '[id]',
      summary: 'Delivery ID (del_…)',
      defaultText: 'all deliveries that match',
      source: deliveryChoices,
      conflicts: Object.keys(deliveryFilters),
    },
    ...deliveryFilters,
  },
  notes: DETAILS,
  examples: [
    ['Save one delivery to share it', 'deliveries export del_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D > delivery.ndjson'],
    [
      'Save the deliveries that failed in the last hour',
      'deliveries export --status failed --since 1h > failed.ndjson',
    ],
    [
      'Print the deliveries of an event, one JSON object per line',
      'deliveries export --event evt_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D',
    ],
  ],
  async run({ id, ...filter }, context) {
    const control = await context.connect();
    const parts = await control.exportDeliveries({ delivery_id: id, ...filter }, context.signal);
    for await (const part of parts) context.io.write(part);
  },
});
