/** The tool `deliveries`: lists deliveries, or shows one with its attempts. */
import * as v from 'valibot';
import { idOf } from '../../contract/fields.ts';
import { DeliveryFilter, PageFields } from '../../contract/list-filters.ts';
import { wholeNumber } from '../../validation/value-schemas.ts';
import { detailDelivery, findNextCall, summarizeDelivery } from '../summarize-delivery.ts';
import { defineTool, formatCall } from '../tool.ts';

const { workspace_id, status, event_id, type, webhook_id, text, since } = DeliveryFilter;

export const deliveriesTool = defineTool({
  name: 'deliveries',
  description: 'List deliveries, newest first, or show one with its attempts',
  hints: { readOnlyHint: true },
  nextAfterError: formatCall('deliveries'),
  input: v.strictObject({
    id: v.optional(idOf('delivery')),
    workspace_id,
    status,
    event_id,
    type,
    webhook_id,
    text,
    since,
    limit: v.optional(wholeNumber(1, 50), 10),
    starting_after: PageFields.starting_after,
    bodies: v.optional(
      v.pipe(v.boolean(), v.description('With id: full bodies and response headers')),
      false,
    ),
  }),
  output: { delivery: 'object', deliveries: 'array', has_more: 'boolean' },
  async run({ id, bodies, ...filter }, { emulator: { control } }) {
    if (id !== undefined) {
      const delivery = await control.getDelivery({ id });
      return { delivery: detailDelivery(delivery, bodies), next: findNextCall([delivery]) };
    }
    const { data, has_more, end_cursor } = await control.listDeliveries(filter);
    return {
      deliveries: data.map(summarizeDelivery),
      has_more,
      next:
        has_more && end_cursor !== null && data.every(({ status }) => status === 'succeeded')
          ? formatCall('deliveries', { ...filter, starting_after: end_cursor })
          : findNextCall(data),
    };
  },
});
