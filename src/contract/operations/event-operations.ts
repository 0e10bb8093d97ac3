/** Operations for events. They are not in the request log, and the rate limit does not count them. */
import * as v from 'valibot';
import { EventDetail, EventSummary } from '../event-schemas.ts';
import { EventFilter, PageFields } from '../list-filters.ts';
import { defineOperations } from '../operation.ts';
import { pageOf } from '../resources.ts';

export const eventOperations = defineOperations({
  listEvents: {
    method: 'GET',
    path: '/stored-events',
    input: v.strictObject({ ...PageFields, ...EventFilter }),
    output: pageOf(EventSummary),
    status: 200,
  },
  getEvent: {
    method: 'GET',
    path: '/stored-events/{id}',
    input: v.strictObject({ id: v.string() }),
    output: EventDetail,
    status: 200,
  },
});
