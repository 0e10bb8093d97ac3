/** The tool `deliveries`: lists deliveries, or shows one with its attempts, and can wait until they have settled. */
import * as v from 'valibot';
import { SECOND_MS } from '../../domain/duration.ts';
import { PageFields } from '../../operations/page-fields.ts';
import { DeliveryFilter, deliveryFilters } from '../../resources/delivery.ts';
import { wholeNumber } from '../../resources/value-schemas.ts';
import { idOf } from '../../resources/values.ts';
import { detailDelivery, findNextCall, summarizeDelivery } from '../summarize-delivery.ts';
import { defineTool, formatCall, waitSeconds } from '../tool.ts';

const { response_status: _, until: __, scheduled: ___, ...filters } = DeliveryFilter;

export const deliveriesTool = defineTool({
  name: 'deliveries',
  description:
    'List deliveries, newest first, or one with its attempts. wait_seconds waits until they settle or no attempt is due; clock sends later retries at once',
  hints: { readOnlyHint: true },
  nextAfterError: formatCall('deliveries'),
  about: {
    since: deliveryFilters.since.summary,
    starting_after: '`end_cursor` of the previous page',
    bodies: 'With id: full bodies and response headers',
  },
  fields: {
    id: v.optional(idOf('delivery')),
    ...filters,
    limit: v.optional(wholeNumber(1, 50), 10),
    starting_after: PageFields.starting_after,
    bodies: v.optional(v.boolean(), false),
    wait_seconds: waitSeconds(0),
  },
  async run({ id, bodies, wait_seconds: seconds, ...filter }, { emulator: { control }, signal }) {
    const { status, limit, starting_after, ...condition } = filter;
    const selection = id === undefined ? condition : { ids: [id] };
    const timeout_ms = seconds * SECOND_MS;
    const wait = seconds > 0 ? await control.waitForDeliveries({ ...selection, timeout_ms }, signal) : null;
    const note = wait?.message ? { note: wait.message } : {};
    if (id !== undefined) {
      const delivery = await control.getDelivery({ id });
      return { ...note, delivery: detailDelivery(delivery, bodies), next: findNextCall([delivery]) };
    }
    const { data, has_more, end_cursor } = await control.listDeliveries(filter);
    return {
      ...note,
      deliveries: data.map(summarizeDelivery),
      has_more,
      ...(has_more && { end_cursor }),
      next:
        has_more && end_cursor !== null && data.every(({ status }) => status === 'succeeded')
          ? formatCall('deliveries', { ...filter, starting_after: end_cursor })
          : findNextCall(data),
    };
  },
});
