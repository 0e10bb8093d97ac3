/** The tool `deliveries`: lists deliveries, or shows one with its attempts, and can wait until they have settled. */
import * as v from 'valibot';
import { resolveSince } from '../../client/wait.ts';
import { idOf } from '../../contract/fields.ts';
import { DeliveryFilter, PageFields } from '../../contract/list-filters.ts';
import { wholeNumber } from '../../validation/value-schemas.ts';
import { findEventType } from '../find-event-type.ts';
import { detailDelivery, findNextCall, summarizeDelivery } from '../summarize-delivery.ts';
import { defineTool, formatCall } from '../tool.ts';
import { MAX_WAIT_SECONDS, waitUntilSettled } from '../wait-until-settled.ts';

const { workspace_id, status, event_id, type, webhook_id, text, since } = DeliveryFilter;

export const deliveriesTool = defineTool({
  name: 'deliveries',
  description:
    'List deliveries, newest first, or one with its attempts. wait_seconds waits until they settle or no attempt is due; clock sends later retries at once',
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
    wait_seconds: v.optional(wholeNumber(0, MAX_WAIT_SECONDS), 0),
  }),
  output: { delivery: 'object', deliveries: 'array', has_more: 'boolean' },
  async run({ id, bodies, wait_seconds: seconds, ...input }, call) {
    const { control } = call.emulator;
    if (id !== undefined) {
      if (seconds > 0) await waitUntilSettled({ filter: {}, deliveryId: id }, seconds, call);
      const delivery = await control.getDelivery({ id });
      return { delivery: detailDelivery(delivery, bodies), next: findNextCall([delivery]) };
    }
    // A duration is resolved before the wait, so that the list has the deliveries of the wait.
    const since = input.since && new Date(await resolveSince(input.since, input, control)).toISOString();
    const filter = { ...input, ...(since && { since }) };
    if (seconds > 0) {
      const { status: _, limit: __, starting_after: ___, ...condition } = filter;
      await waitUntilSettled({ filter: condition }, seconds, call);
    }
    const { data, has_more, end_cursor } = await control.listDeliveries(filter);
    const { closest } =
      input.type === undefined || data.length > 0
        ? { closest: null }
        : await findEventType(input.type, control);
    return {
      ...(closest !== null && { note: `No example exists for ${input.type}. Did you mean ${closest}?` }),
      deliveries: data.map(summarizeDelivery),
      has_more,
      next:
        has_more && end_cursor !== null && data.every(({ status }) => status === 'succeeded')
          ? formatCall('deliveries', { ...filter, starting_after: end_cursor })
          : findNextCall(data),
    };
  },
});
