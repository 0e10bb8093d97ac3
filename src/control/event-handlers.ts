/** Events of the control plane. */
import type { Event } from '../contract/resources.ts';
import { parseJsonObject } from '../domain/json.ts';
import { notFound } from '../sandbox/access.ts';
import { toListBody, toPageRequest } from '../sandbox/pagination.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { toEventSummary } from '../store/event-queries.ts';
import { toEventRecordText } from '../store/events.ts';
import type { ControlHandlers } from './in-process-control-plane.ts';
import { toEventFilter } from './store-filters.ts';

export function createEventHandlers(sandbox: Sandbox): Pick<ControlHandlers, 'listEvents' | 'getEvent'> {
  const { store } = sandbox;
  return {
    listEvents: async (input) => {
      // The log, which knows what created them, is written soon, not at once.
      store.flush();
      const request = toPageRequest(input, (id) => store.events.find(id));
      return toListBody(
        await store.eventQueries.list(toEventFilter(sandbox, input), request),
        toEventSummary,
      );
    },
    getEvent: async ({ id }) => {
      store.flush();
      const row = store.events.find(id);
      if (row === undefined) throw notFound('event', id);
      const { value, memberText } = parseJsonObject(toEventRecordText(row));
      return {
        ...(value as Event),
        request_id: store.eventQueries.findRequestId(row.seq),
        payload_text: memberText('payload') ?? '{}',
      };
    },
  };
}
