/** Schemas of the operation that waits for deliveries. */
import * as v from 'valibot';
import { settledStatuses } from '../domain/delivery.ts';
import { MINUTE_MS } from '../domain/duration.ts';
import { Delivery } from './delivery-schemas.ts';
import { withDurationTexts } from './duration-text.ts';
import { Count, idOf } from './fields.ts';
import { DeliveryFilter } from './list-filters.ts';
import { wholeNumberFrom } from './operation.ts';

const { workspace_id, event_id, type, webhook_id, text, since } = DeliveryFilter;
const filter = { workspace_id, event_id, type, webhook_id, text, since };

export const WaitInput = v.pipe(
  withDurationTexts(
    {
      delivery_id: v.optional(idOf('delivery')),
      ...filter,
      status: v.optional(v.picklist(settledStatuses)),
      count: v.optional(wholeNumberFrom(1, 1_000_000)),
      timeout_ms: v.optional(wholeNumberFrom(0, MINUTE_MS)),
      keep_waiting: v.optional(v.boolean()),
    },
    { timeout: 'timeout_ms' },
  ),
  v.check(
    (input) =>
      input.delivery_id === undefined || !['count', ...Object.keys(filter)].some((name) => name in input),
    'must not combine delivery_id with a filter or with count',
  ),
);

/** What is known at the end of the wait. The counts are those of all matching deliveries, `data` has the newest. */
export const WaitReport = v.object({
  settled: v.boolean(),
  hint: v.nullable(v.string()),
  counts: v.object({ pending: Count, succeeded: Count, failed: Count, canceled: Count }),
  data: v.array(Delivery),
  has_more: v.boolean(),
  end_cursor: v.nullable(idOf('delivery')),
});

export type WaitReport = v.InferOutput<typeof WaitReport>;
