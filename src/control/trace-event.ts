/** Reads the trace of an event: the request that created it, its deliveries and their attempts. */
import { type EventTrace, MAX_TRACED_ATTEMPTS } from '../contract/trace-schemas.ts';
import { createNotFoundError } from '../sandbox/access.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { toApiRequest } from '../store/api-requests.ts';
import { toAttemptSummary } from '../store/attempts.ts';
import { toDelivery } from '../store/delivery-queries.ts';
import { toEventSummary } from '../store/events.ts';
import { toPageRequest } from '../store/row-page.ts';

interface TracePage {
  readonly limit: number;
  readonly starting_after?: string | undefined;
}

/** @throws SvcError `not_found`, or `invalid_request` for an unknown cursor */
export function traceEvent({ store }: Sandbox, id: string, page: TracePage): EventTrace {
  // The request log is written with a delay.
  store.flush();
  const { seq } = store.events.find(id) ?? {};
  const summary = seq === undefined ? undefined : store.events.findSummary(seq);
  if (seq === undefined || summary === undefined) throw createNotFoundError('event', id);
  const { limit, beforeSeq: cursor } = toPageRequest(page, (deliveryId) => {
    const delivery = store.deliveryQueries.find(deliveryId);
    return delivery?.event_id === id ? delivery.seq : undefined;
  });
  // The extra row shows whether there are more.
  const rows = store.deliveryQueries.listByEvent(seq, cursor ?? 0, limit + 1);
  const deliveries = rows.slice(0, limit).map((row) => ({
    ...toDelivery(row),
    attempts: store.attempts.listNewestByDelivery(row.seq, MAX_TRACED_ATTEMPTS).map(toAttemptSummary),
  }));
  const request = summary.request_id === null ? undefined : store.apiRequests.find(summary.request_id);
  return {
    event: toEventSummary(summary),
    request: request === undefined ? null : toApiRequest(request),
    deliveries,
    has_more: rows.length > limit,
    end_cursor: deliveries.at(-1)?.id ?? null,
  };
}
