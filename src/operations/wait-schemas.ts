/** Schemas of the operation that waits for deliveries. */
import * as v from 'valibot';
import { settledStatuses } from '../domain/delivery.ts';
import { DAY_MS } from '../domain/duration.ts';
import { Delivery, DeliveryFilter } from '../resources/delivery.ts';
import { statusCounts } from '../resources/delivery-counts.ts';
import { durationFrom, wholeNumberFrom } from '../resources/value-schemas.ts';
import { described, Hint, idOf, resource } from '../resources/values.ts';

const { status: _status, response_status: _response, until: _until, ...waitable } = DeliveryFilter;
/** All filters of deliveries that can match a delivery before it settles. */
export const waitFilter = waitable;

/** Maximum number of deliveries that a wait can name. The body of a request to the control plane has at most 4 MB. */
const MAX_IDS = 100_000;

export const WaitInput = v.strictObject({
  ...waitFilter,
  ids: described(
    'Only these deliveries.',
    v.optional(v.pipe(v.array(idOf('delivery')), v.minLength(1), v.maxLength(MAX_IDS))),
  ),
  status: described(
    'Status that the deliveries must settle with (default: any).',
    v.optional(v.picklist(settledStatuses)),
  ),
  count: described(
    'Number of deliveries that must settle (default: all, at least one).',
    v.optional(wholeNumberFrom(1, 1_000_000)),
  ),
  timeout_ms: described(
    'Time limit of the wait in real time (default: `30s`, at most `1d`). 0 returns immediately.',
    v.optional(durationFrom(0, DAY_MS)),
    '5s',
  ),
  keep_waiting: described(
    'Whether to wait until the time limit although no delivery can settle before it, because something else will move the clock or enable the endpoint (default: only with a `count`).',
    v.optional(v.boolean()),
  ),
  retries: described(
    'Whether to wait for attempts that are due later (default: `true`). If `false`, the wait ends when each attempt that is due has a result.',
    v.optional(v.boolean()),
  ),
  limit: described(
    'Maximum number of deliveries in `data` (default: 1,000).',
    v.optional(wholeNumberFrom(1, 1000)),
  ),
});

const { pending, succeeded, failed, canceled } = statusCounts;

export const WaitReport = resource('The state of the deliveries that a request has waited for.', {
  settled: described(
    'Whether the deliveries have settled, in the number and with the status that the request asks for.',
    v.boolean(),
  ),
  reason: described(
    'Why the wait ended: `settled`, `unexpected_status` (a delivery settled with a status other than `status`), `stalled` (no delivery could settle before the time limit) or `timeout`.',
    v.picklist(['settled', 'unexpected_status', 'stalled', 'timeout']),
  ),
  message: described('What is missing. `null` if `settled` is `true`.', v.nullable(v.string())),
  details: described(
    'The deliveries that have not succeeded, or do not have the requested status, at most 20 with a line each. Without deliveries, what is known about the events.',
    v.array(v.string()),
  ),
  hint: described('What to do next. `null` if `settled` is `true`.', v.nullable(Hint)),
  counts: described('All matching deliveries by status.', v.object({ pending, succeeded, failed, canceled })),
  data: described('The deliveries, newest first, at most `limit`.', v.array(Delivery)),
  has_more: described('Whether there are more deliveries than `data` contains.', v.boolean()),
  end_cursor: described(
    'ID of the last delivery in `data`, or `null` if there is none. To get more, pass it as `starting_after` of `GET /deliveries`.',
    v.nullable(idOf('delivery')),
  ),
});

export type WaitReport = v.InferOutput<typeof WaitReport>;
