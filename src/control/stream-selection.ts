/** Selects the changes that a client of the live stream receives. */
import type { Delivery } from '../contract/delivery-schemas.ts';
import type { ApiRequest } from '../contract/resources.ts';
import type { StreamInput, TopicItem } from '../contract/stream-schemas.ts';
import { getDisplayStatus } from '../domain/delivery.ts';

/** Start of the history that a stream shows. Sequences are only roughly in order of time, so times are compared as well. */
interface HistoryStart {
  /** Newest sequence when the stream was opened. */
  readonly newest: number;
  readonly wall: number;
  /** The same in schedule time. */
  readonly schedule: number;
}

/** End of the selected time range. Deliveries are compared by their creation. */
interface UpperBound {
  readonly wall: number;
  readonly schedule: number;
}

export interface StreamSelection
  extends Pick<StreamInput, 'workspace_id' | 'status' | 'event_id' | 'type' | 'webhook_id'> {
  readonly historyStart: HistoryStart | null;
  readonly upperBound: UpperBound | null;
  /** In lower case. */
  readonly text: string | null;
  /** Ids of the endpoints to listen to. Empty: all. */
  readonly listener: readonly string[];
}

export function matchesRequest({ workspace_id, upperBound }: StreamSelection, request: ApiRequest): boolean {
  return (
    (workspace_id === undefined || request.workspace_id === workspace_id) &&
    (upperBound === null || Date.parse(request.at) < upperBound.wall)
  );
}

export function matchesDelivery(selection: StreamSelection, delivery: Delivery): boolean {
  const { workspace_id, status, event_id, type, webhook_id, listener, upperBound } = selection;
  return (
    (workspace_id === undefined || workspace_id === delivery.workspace_id) &&
    (status === undefined || status === delivery.status || status === getDisplayStatus(delivery)) &&
    (event_id === undefined || event_id === delivery.event_id) &&
    (type === undefined || type === delivery.event_type) &&
    (webhook_id === undefined || webhook_id === delivery.webhook_id) &&
    (upperBound === null || Date.parse(delivery.created_at) < upperBound.schedule) &&
    (listener.length === 0 || listener.includes(delivery.webhook_id))
  );
}

/** @param getBody reads the body of the delivery, if it is needed. */
export function matchesText(
  { text }: StreamSelection,
  { id, event_id, event_type, url }: Delivery,
  getBody: () => string,
): boolean {
  if (text === null) return true;
  return (
    [id, event_id, event_type, url].some((value) => value.toLowerCase().includes(text)) ||
    getBody().toLowerCase().includes(text)
  );
}

export function isTooOld(item: TopicItem, historyStart: HistoryStart | null): boolean {
  if (historyStart === null || item.sequence > historyStart.newest) return false;
  if (item.type === 'request') return Date.parse(item.request.at) < historyStart.wall;
  if (item.type === 'attempt') return Date.parse(item.attempt.sent_at) < historyStart.wall;
  return Date.parse(item.delivery.settled_at ?? item.delivery.created_at) < historyStart.schedule;
}
