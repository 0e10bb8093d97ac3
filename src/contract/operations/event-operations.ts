/** Events, apart from the requests to `/v1`: nothing of this is in their log, nor counts for their limit. */
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
