/** Events of the control plane. */
import type { Event } from '../contract/resources.ts';
import { parseJsonObject } from '../domain/json.ts';
import { notFound } from '../sandbox/access.ts';
import { toListBody, toPageRequest } from '../sandbox/pages.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { toEventSummary } from '../store/event-view.ts';
import { eventRecordText } from '../store/events.ts';
import { toEventFilter } from './filters.ts';
import type { CheckedCalls } from './local.ts';

export function createEventCalls(sandbox: Sandbox): Pick<CheckedCalls, 'listEvents' | 'getEvent'> {
  const { store } = sandbox;
  return {
    listEvents: async (input) => {
      // The log, which knows what created them, is written soon, not at once.
      store.flush();
      const request = toPageRequest(input, (id) => store.events.find(id));
      return toListBody(await store.eventView.list(toEventFilter(sandbox, input), request), toEventSummary);
    },
    getEvent: async ({ id }) => {
      store.flush();
      const row = store.events.find(id);
      if (row === undefined) throw notFound('event', id);
      const { value, memberText } = parseJsonObject(eventRecordText(row));
      return {
        ...(value as Event),
        request_id: store.eventView.findRequestId(row.seq),
        payload_text: memberText('payload') ?? '{}',
      };
    },
  };
}
