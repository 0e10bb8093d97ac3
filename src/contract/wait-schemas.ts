/** Schemas of the operation that waits for deliveries. */
import * as v from 'valibot';
import { settledStatuses } from '../domain/delivery.ts';
import { MINUTE_MS } from '../domain/duration.ts';
import { wholeNumberFrom } from '../validation/value-schemas.ts';
import { Delivery, statusCounts } from './delivery-schemas.ts';
import { withDurationTexts } from './duration-text.ts';
import { described, idOf, resource } from './fields.ts';
import { DeliveryFilter } from './list-filters.ts';

const { workspace_id, event_id, type, webhook_id, text, since } = DeliveryFilter;
const filter = { workspace_id, event_id, type, webhook_id, text, since };

export const WaitInput = v.pipe(
  withDurationTexts(
    {
      delivery_id: described(
        'Only this delivery. It cannot be combined with a filter or with `count`.',
        v.optional(idOf('delivery')),
      ),
      ...filter,
      status: described(
        'Status that the deliveries must settle with (default: any).',
        v.optional(v.picklist(settledStatuses)),
      ),
      count: described(
        'Number of deliveries that must settle (default: all, at least one).',
        v.optional(wholeNumberFrom(1, 1_000_000)),
      ),
      timeout_ms: described(
        'Time limit of the wait in real time, in milliseconds (default: 30000, at most 60000). 0 returns immediately.',
        v.optional(wholeNumberFrom(0, MINUTE_MS)),
      ),
      keep_waiting: described(
        'Whether to wait until the time limit although no delivery can settle before it, because something else will move the clock or enable the endpoint (default: `false`).',
        v.optional(v.boolean()),
      ),
    },
    { timeout: 'timeout_ms' },
    { timeout: '5s' },
  ),
  v.check(
    (input) =>
      input.delivery_id === undefined || !['count', ...Object.keys(filter)].some((name) => name in input),
    'must not combine delivery_id with a filter or with count',
  ),
);

const { pending, succeeded, failed, canceled } = statusCounts;

export const WaitReport = resource('The state of the deliveries that a request has waited for.', {
  settled: described(
    'Whether the deliveries have settled, in the number and with the status that the request asks for.',
    v.boolean(),
  ),
  message: described(
    'What is missing, and how to continue. `null` if `settled` is `true`.',
    v.nullable(v.string()),
    '1 delivery cannot settle within 5s: the next attempt is due in 5m. Send it with POST /_svc/clock/advance and {"by": "5m"}.',
  ),
  counts: described('All matching deliveries by status.', v.object({ pending, succeeded, failed, canceled })),
  data: described('The deliveries, newest first, at most 1,000.', v.array(Delivery)),
  has_more: described('Whether there are more deliveries than `data` contains.', v.boolean()),
  end_cursor: described(
    'ID of the last delivery in `data`, or `null` if there is none. To get more, pass it as `starting_after` of `GET /deliveries`.',
    v.nullable(idOf('delivery')),
  ),
});

export type WaitReport = v.InferOutput<typeof WaitReport>;
